"""Phrases in which questions say the same, and the mark in capitals that stands for each.

They are looked for in plain text: small letters, no contractions, single spaces, "|" where there
was punctuation.
"""

from __future__ import annotations

import re

_CHANGE = (
    r"(?:chang|configur|touch|set|specif|modif|adjust|alter|overrid|overwrit|giv|pass|stat|suppl"
    r"|provid|defin|enter|select|choos|chosen|pick|sa[iy]|do|did|tweak)\w*"
)
_WHO = (
    r"(?:i|we|you|one|it|they|that|this|these|there|is|are|was|were|am|has|have|had|been|be|being"
    r"|do|does|did|ever|yet|explicitly|actively|otherwise|anyone|anybody|someone|somebody|the user"
    r"|users|the setting|the value|the timer|the parameter|an admin|the admin|value|values|other"
    r"|different|manually|myself|yourself)"
)
_NOT = r"(?:not|never|nothing|nobody|no one|none|no)"
_IT = (
    r"(?:it|them|this|that|one|anything|something|nothing|otherwise|any|a value|any value|the value"
    r"|the setting|the default|explicitly|differently|else|at all|here|for it|there|myself|yourself"
    r"|manually|to something else)"
)
_IF = r"(?:if|when|where|while|whenever|as long as|so long as|in case|provided)"
_UNSET = (
    r"(?:omitted|left out|left empty|left blank|left alone|left as is|left unset|left unchanged"
    r"|unset|unspecified|unchanged|untouched|unconfigured)"
)
_POSSIBLE = r"(?:possible|allowed|permitted|permissible|supported|accepted|valid|acceptable)"
_AMOUNT = r"(?:number|amount|count|quantity|values?|limit|bound)"
_HOLDS = (
    r"(?:fits?|supports?|supported|holds?|handles?|allows?|allowed|possible|permitted|permits?"
    r"|accepts?|accommodates?|room)"
)
_UNIT = (
    r"(?:met(?:er|re)s?|mm|cm|km|kilomet(?:er|re)s?|amp(?:ere)?s|amps?|volts?|watts?|degrees?|ohms?"
    r"|bits?|bytes?|kilobytes?|megabytes?|gigabytes?|[kmg]b|percent|db|dbm)"
)
_RELEASE = r"(?:releases?|versions?)"
_BECAME = (
    r"(?:add|introduc|remov|drop|deprecat|renam|appear|arriv|became|becom|disappear|document"
    r"|start|stop|began|begin|discontinu)\w*"
)
_SWITCH = r"(?:turn|turns|turned|turning|switch|switches|switched|switching|toggle|toggled)"
_END = r"(?=$| \||(?: (?:for|in|with|at|by|when|again|through|via|using|on|of|automatically)\b))"

_LINES: tuple[tuple[str, str], ...] = (
    # What holds unless somebody changes it.
    ("DEFAULT", rf"(?:unless|until)(?: {_WHO})*(?: {_CHANGE}(?: {_IT})*| {_UNSET})"),
    ("DEFAULT", rf"{_IF}(?: {_WHO})*? {_NOT}(?: {_WHO})* {_CHANGE}(?: {_IT})*"),
    (
        "DEFAULT",
        rf"(?:nobody|no one)(?: has| have)?(?: ever)? {_CHANGE}(?: the \S+|(?: {_IT})*)",
    ),
    ("DEFAULT", rf"(?:i|we)(?: have)? (?:never|not)(?: ever)? {_CHANGE}(?: the \S+|(?: {_IT})*)"),
    ("DEFAULT", rf"{_IF}(?: {_WHO})* {_CHANGE} (?:nothing|none|no value)(?: {_IT})*"),
    ("DEFAULT", rf"{_IF}(?: {_WHO})* {_UNSET}"),
    ("DEFAULT", rf"{_IF}(?: {_WHO})* left (?:(?:the|its|this|that) \S+ )?(?:alone|as is|empty)"),
    (
        "DEFAULT",
        rf"{_IF}(?: {_WHO})* leav\w*(?: (?:the|a|this|that|its|my) \S+|(?: {_IT})*)?"
        r" (?:alone|unset|untouched|unchanged|as is|as it is|empty|blank|out)",
    ),
    (
        "DEFAULT",
        r"without (?:me|us|my|our|anyone|anybody|anything) (?:\S+ing|being \S+)(?: it| them)?",
    ),
    ("DEFAULT", rf"without (?:{_CHANGE}(?: {_IT})+|(?:any |further |extra )?configuration)"),
    ("DEFAULT", r"(?:straight )?out of (?:the )?box|(?:straight )?from the factory|ex works"),
    ("DEFAULT", r"factory (?:set|preset|values?|settings?|defaults?)(?: (?:values?|settings?))?"),
    (
        "DEFAULT",
        r"(?:(?:by|per|on|as|is|are|set to|at|to|in|the|a|its|with) )*defaults?"
        r"(?: (?:values?|settings?|to))?(?! (?:gateway|route|router)s?\b)(?: of| for)?",
    ),
    (
        "DEFAULT",
        r"(?:initial|preset|preconfigured|predefined|standard|stock|original)"
        r"(?= (?:\S+ )?(?:values?|settings?|state|configuration|password|port|address|level|size"
        r"|mode|length|timeout|interval)\b)(?: (?:values?|settings?))?",
    ),
    ("DEFAULT", r"initially|preset|preconfigured|normally|as (?:shipped|delivered)"),
    ("DEFAULT", r"when (?:it is )?(?:shipped|delivered|new)"),
    # The ends of a range.
    (
        "MAXIMUM",
        rf"(?:not|no) (?:more|longer|higher|larger|greater) than|not exceed|up to {_AMOUNT}",
    ),
    (
        "MAXIMUM",
        r"up to (?:how|which|what)(?: many| much| long)?|at (?:the )?(?:very )?most|tops"
        r"|at (?:the )?max(?:imum)?",
    ),
    (
        "MAXIMUM",
        r"(?:the |a )?ceiling(?: (?:on|for|of|to))?"
        rf"|(?:the |a )?(?:upper|top) (?:{_AMOUNT}|end|threshold)(?: (?:on|for|of|to))?",
    ),
    (
        "MAXIMUM",
        r"(?:is|are) there (?:a|any) (?:limit|cap|restriction)s? (?:on|to|for|of)(?: the)?"
        r"|(?:the |a )(?:limit|cap) (?:on|for|of|to)(?: the)?|limited to|capped at",
    ),
    (
        "MAXIMUM",
        r"(?:the )?(?:maximum|maximal|maximally|max|highest|largest|biggest|longest|greatest"
        rf"|farthest|furthest|utmost|hottest|fastest|widest)(?: {_POSSIBLE})?(?: {_AMOUNT})?"
        rf"(?: {_POSSIBLE})?(?: of)?",
    ),
    (
        "MINIMUM",
        r"(?:not|no) (?:less|fewer|shorter|lower|smaller) than|at (?:the )?(?:very )?least",
    ),
    (
        "MINIMUM",
        r"(?:the |a )?floor (?:on|for|of)"
        rf"|(?:the |a )?lower (?:{_AMOUNT}|end|threshold)(?: (?:on|for|of|to))?",
    ),
    ("MINIMUM", r"at (?:the )?min(?:imum)?|or (?:newer|later|higher|above|more|better)"),
    (
        "MINIMUM",
        r"(?:the )?(?:minimum|minimal|minimally|min(?! \|)|lowest|smallest|shortest|least|fewest"
        rf"|oldest|weakest|coldest|earliest|tightest|slowest)(?: {_POSSIBLE}| required| needed)?"
        rf"(?: {_AMOUNT})?(?: {_POSSIBLE})?(?: of)?",
    ),
    (
        "CAPACITY",
        rf"(?:how (?:many|much)|(?:what|which) number of)"
        rf"(?= (?:\S+ ){{1,7}}?(?:can|could|may|might|{_HOLDS})(?!\S))"
        rf"|how (?:many|much)(?= (?:\S+ ){{1,3}}?(?:is|are) (?:\S+ ){{0,2}}{_POSSIBLE}(?!\S))"
        r"|how (?:far|long|big|large|high|fast|heavy|tall|thick|wide|deep)"
        r"(?= (?:can|could|may|might))",
    ),
    (
        "MINIMUM",
        r"how (?:tight(?:ly)?|small|short|low|little|cold|narrow|slow)(?= (?:can|could|may|might))",
    ),
    # What kind of answer is wanted.
    (
        "WHY",
        r"why|how come|(?:for )?(?:what|which) (?:is |are |was |were |could be |can be |may be )?"
        r"(?:the )?(?:reason|cause|explanation)s?(?: (?:for|of|that|why|behind))*"
        r"|what (?:can |could |may |might |would )?(?:cause|make|lead to|trigger)s?"
        r"|(?:what is )?(?:the )?(?:reason|cause)s? (?:for|why|behind|that|of)|due to what"
        r"|what is causing",
    ),
    (
        "SINCE",
        rf"since (?:when|(?:what|which) {_RELEASE})"
        rf"|(?:in|as of|from|starting with|with|by) (?:what|which) {_RELEASE}"
        rf"|(?:what|which) {_RELEASE}(?= (?:was |were |has |have |did )?{_BECAME})"
        rf"|when (?:was|were|did|has|have)(?= (?:\S+ ){{1,8}}{_BECAME})",
    ),
    (
        "WHETHER",
        r"whether|(?:am|is|are) (?:i|we|you|one|users) able to"
        r"|is (?:it|there) (?:at all )?(?:possible|feasible|a possibility|a way|any way|permitted"
        r"|allowed|ok|okay|legal)(?: (?:to|for|of|that))*",
    ),
    (
        "WHO",
        r"(?:by |for |to )?who(?:se|m)?|(?:which|what) (?:users?|people|persons?)"
        r"(?= (?:is|are|may|can|must|should|has|have|do|does)\b)",
    ),
    (
        "HOWLONG",
        r"(?:after |for |within |in |over )?how (?:long|much time)(?: does it take| it takes)?",
    ),
    (
        "HOWLONG",
        r"(?:(?:after|for|within) )?how many"
        r"(?= (?:\S+ )?(?:milliseconds|seconds|minutes|hours|days|weeks|months|years)(?!\S))",
    ),
    ("HOWLONG", r"(?:after|for|within) (?:what|which) (?:time|period|duration|delay)"),
    ("HOWOFTEN", r"(?:how often|how frequently|how regularly|at (?:what|which) intervals?)"),
    ("HOWMUCH", rf"how much|how many(?= {_UNIT}(?!\S))"),
    ("HOWMANY", r"how many|(?:what is )?(?:the )?(?:number|count|quantity) of"),
    (
        "WHERE",
        r"where|(?:in|on|under|at) (?:which|what) (?:director(?:y|ies)|folder|path|location|place)",
    ),
    (
        "WHERE",
        r"(?:in|on|under|from) (?:which|what)"
        r" (?:file|folder|directory|menu|page|tab|window|screen)",
    ),
    ("WHERE", r"(?:what is )?(?:the )?(?:location|path|place)(?: of)?"),
    (
        "WHEN",
        r"(?:at|in) (?:which|what) (?:times?|moments?|point|cases?|circumstances|situations?)|when",
    ),
    ("WHEN", r"under (?:which|what) (?:conditions?|circumstances)"),
    ("onemany", r"one to many"),
    ("manyone", r"many to one"),
    ("manymany", r"many to many"),
    ("oneone", r"one to one"),
    # Verbs of two words, and words whose sense hangs on their neighbours.
    ("rename", r"(?:chang|modif|edit|alter)\w* (?:of )?(?:the )?names?(?: of)?"),
    ("enable", rf"(?:power(?:s|ed|ing)?|{_SWITCH}) on"),
    ("enable", rf"{_SWITCH}((?: (?!off\b|\|)\S+){{1,5}}) on{_END}"),
    ("disable", rf"(?:power(?:s|ed|ing)?|{_SWITCH}) off"),
    ("disable", rf"{_SWITCH}((?: (?!on\b|\|)\S+){{1,5}}) off{_END}"),
    ("shutdown", rf"shut\w* (?:down|off)|shut\w*((?: (?!\|)\S+){{1,5}}) (?:down|off){_END}"),
    ("restart", r"start\w*((?: (?!\|)\S+){0,4}) (?:again|anew)|power cycl\w+"),
    ("remove", r"get(?:ting)? rid of|tak\w* (?:out|away)|throw\w* away"),
    (
        "return",
        r"(?:go|going|get|getting|fall\w*|switch\w*|com(?:e|es|ing)|revert\w*) back",
    ),
    ("configure", rf"set(?:s|ting)? up|setups?|set((?: (?!\|)\S+){{1,5}}) up{_END}"),
    ("login", r"(?:log|sign)(?:s|ged|ged|ging|ed|ing)? (?:in|on)(?: (?:to|into))?"),
    (
        "logout",
        r"(?:log|sign|kick|throw)(?:s|ged|ging|ed|ing)? (?:out|off)(?: of)?|kicked out(?: of)?",
    ),
    ("commandline", r"command lines?"),
    ("may", r"(?:is|are) (?:allowed|permitted|authori[sz]ed|entitled) to"),
    ("reset", r"(?:restor|reset|return|revert)\w*((?: \S+){0,4}?)(?: to)?(?: the)?(?= DEFAULT)"),
    ("rollback", r"roll(?:s|ed|ing)? back"),
    ("accelerate", r"speed(?:s|ed|ing)? up|mak\w*((?: (?!\|)\S+){1,4}) (?:faster|quicker)"),
    ("", r"(?:that|which) (?:runs?|is running|has|have|uses?)(?=(?: \|)*$)"),
    ("backup", r"back(?:s|ed|ing)? up"),
    ("write", r"save to"),
    (
        "missing",
        r"(?:do|does|did|is|are|was|were|has|have|can)? ?not (?:be )?(?:exist|found|there|present)",
    ),
    ("missing", r"(?:there (?:is|are|was|were) )no(?= \S)|no(?= \S+ (?:is|are|was|were) found)"),
    (
        "NOT support",
        r"(?:lack|miss|drop|end|ceas|stop|discontinu)\w*(?: the)? support(?:ing)?(?: for)?"
        r"|lack(?:s|ing)?|unsupported",
    ),
    (
        "NOT",
        r"no longer|not any ?more|not|no|never|cannot|unable to|without|with no|w/o|nobody|no one",
    ),
    ("NOT", r"(?:keep|prevent|stop)\w*((?: \S+){1,5}?) from(?= \w+ing(?!\S))"),
    ("NOT", r"impossible to|other than|except(?: for)?|fails? to"),
    ("sameTime", r"at (?:once|the same time)|simultaneous(?:ly)?|concurrent(?:ly)?|in parallel"),
    ("BEFORE", r"before(?:hand)?|prior to|ahead of|previous to|in advance of"),
    ("AFTER", r"after(?:wards)?|following|once|as soon as|subsequent to"),
    ("INSTEAD", r"instead of|rather than|in place of"),
    ("half", r"half an?"),
    ("per", r"for (?:each|every)|(?:in|on) (?:each|every)|each|every|per"),
)
PHRASES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (
        f" {mark} \\1 " if re.compile(pattern).groups else f" {mark} ",
        re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"),
    )
    for mark, pattern in _LINES
)
"""Mark → what it stands for, in the order in which they are looked for."""

_FRAME_LINES: tuple[str, ...] = (
    r"(?:hi|hello|hey|dear all|good (?:morning|day|evening)|thanks?(?: you)?|thx|please|pls|sorry"
    r"|excuse me|ok(?:ay)?|so|well|btw|by the way|just|simply|quick question|question|kindly"
    r"|in advance|many|a lot|anyway|hm+|folks|guys|everyone|everybody|team|there(?= \|))",
    r"(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody) (?:please |kindly )?"
    r"(?:tell|show|explain|describe|help|let|say|remind|give|inform|share|clarify|confirm)"
    r"(?: (?:to )?(?:me|us))?(?: know)?(?: (?:about|of|on|in))?",
    r"(?:i|we) (?:(?:would|need|want|like|have|wish|am|are|was|were|do not|just|really|currently"
    r"|to|should|must|still) )*(?:know|understand|learn|find out|figure out|ask|asking|wonder"
    r"|wondering|curious|looking|trying|interested|unsure|not sure|sure)"
    r"(?: (?:to|for|about|in|on|out|of))*",
    r"(?:do|does) (?:you|anyone|anybody|someone|somebody) (?:happen to )?know",
    r"(?:tell|show|give|remind|let|telling|showing|explaining|letting) (?:(?:to )?(?:me|us))?"
    r"(?: know)?(?: (?:about|please))?|(?:any|no) idea|explain(?: to me)?",
    r"(?:(?:i|we) (?:would|will) be|i am|we are|much|very|most)? ?(?:grateful|obliged|thankful|glad"
    r"|happy|appreciated|pleased)(?: (?:if|for|to|about))?",
    r"(?:if|whether) (?:you|someone|somebody|anyone) (?:can|could|would|will|might|know|knew)",
    r"(?:would|do) you mind|dear \S+|i would appreciate(?: it)?(?: if)?"
    r"|(?:my|the|our|one) question is",
    r"(?:(?:our|my|the|an?) )?\S+ (?:wants? to know|asks?|is asking|are asking)"
    r"(?: (?:for|about)|(?= \|)| me| us)?(?= (?!for ))",
    r"could it be that|may i ask|can i ask|do we know|is it known|i was told to ask|help|urgent",
    r"(?:what|which) does (?:the )?(?:documentation|docs?|manual|guide) (?:say|tell)"
    r"(?: (?:about|on))?",
    r"(?:according to|as per|based on|per|in) (?:the )?(?:documentation|docs?|manual|guide)",
    r"(?:is|are) (?:you|anyone|anybody) aware|it is (?:unclear|not clear)(?: to (?:me|us))?",
)
FRAME = re.compile(rf"(?:(?<=\|)|^)(?: (?:{'|'.join(_FRAME_LINES)})(?= |$)| \|)+")
"""Words around a question that say nothing of what is asked, at the beginning of a clause."""
