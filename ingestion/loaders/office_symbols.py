"""What a font says of its text: code, or signs in the place of letters as in Wingdings."""

import re

_FIXED = re.compile(r"mono|courier|consol|menlo|typewriter|fixedsys", re.IGNORECASE)
_FIRST = 0x20
_FONTS = {
    "symbol": (
        " !∀#∃%&∍()*+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙ"
        "ϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρσ"
        "τυϖωξψζ{|}~                               "
        "  €ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩"
        "∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉"
        "∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ "
    ),
    "wingdings": (
        " 🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍🖎✌🖏👍👎☜☞☝☟🖐"
        "☺😐☹💣🕱🏳🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉♊♋♌♍♎♏♐♑♒♓🙰🙵⚫🔾◼🞏🞐❑❒🞟"
        "⧫◆❖⬩⌧⮹⌘🏵🏶🙶🙷▯🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟"
        "∙•⬝⭘🞆🞈🞊🞋🔿▪🞎🟁🟅★🟋🟏🟓🟑⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛⮰⮱⮲⮳⮴"
        "⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋←→↑↓↖↗↙↘⬅➡⬆⬇⬉⬈⬋⬊⇦⇨⇧"
        "⇩⬄⇳⬁⬀⬃⬂▭▫✗✓☒☑ "
    ),
    "wingdings 2": (
        " 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙🖚🖛👈👉🖜🖝🖞🖟🖠🖡"
        "👆👇🖢🖣🖑✗✓☒☑☒☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥⑦⑧⑨⑩"
        "⓿❶❷❸❹❺❻❼❽❾❿ ☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙"
        "⦿🞌🞍◾■□🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁⬟⯂⬣⬢⯃⯄🞡🞢"
        "🞣🞤🞥🞦🞧🞨🞩🞪🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒✹🟃"
        "🟇✯🟍🟔⯌⯍※⁂"
    ),
    "zapfdingbats": (
        " ✁✂✃✄☎✆✇✈✉☛☞✌✍✎✏✐✑✒✓✔✕✖✗✘✙✚✛✜✝✞✟✠✡✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱"
        "✲✳✴✵✶✷✸✹✺✻✼✽✾✿❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❐❑❒▲▼◆❖◗❘❙❚❛❜❝❞"
    ),
}


def is_fixed_width(font: str) -> bool:
    """Whether a font sets letters as code is set."""
    return bool(_FIXED.search(font))


def shown_as(font: str, text: str) -> str:
    """Return a text as the font draws it; of a font that draws letters the text itself."""
    signs = _FONTS.get(font.lower())
    return "".join(_sign(signs, letter) for letter in text) if signs else text


def _sign(signs: str, letter: str) -> str:
    # Word writes such letters in the private area as well: U+F0FC is U+00FC.
    place = ord(letter) - (0xF000 if ord(letter) >= 0xF000 else 0) - _FIRST
    return signs[place] if 0 <= place < len(signs) else letter
