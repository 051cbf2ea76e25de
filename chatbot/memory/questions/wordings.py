"""Words that ask for the same, words that ask for the opposite, and words that say little.

Of a line of synonyms the first word stands for all. Lines of abbreviations are read first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from snowballstemmer import stemmer

_ABBREVIATIONS = """
configuration config conf cfg configs configurations
parameter param params parm
argument arg args
variable var vars
environment env
database db dbs databases
directory dir dirs folder folders directories
repository repo repos
authentication auth authn
administrator admin admins superuser
application app apps
temperature temp temps
information info
number num nr
maximum max
software sw
hardware hw
firmware fw
memory ram
password passwd pwd passphrase passcode
certificate cert certs
credential creds cred
connection conn conns
message msg msgs
package pkg packages
library lib libs
function func fn
attribute attr attrs
postgresql postgres pg psql
sqlserver mssql
kubernetes k8s
javascript js
typescript ts
python py
documentation doc docs
second sec secs
minute min mins
hostname host-name
filename file-name
username user-name login-name
gui ui
operating-system os
asynchronous async
synchronous sync
"""
_IRREGULAR = """
send sent
build built
write wrote written
keep kept
hold held
lose lost loss
leave left-behind
find found
choose chose chosen
break broke broken
take took taken
give gave given
show shown showed
see saw seen
run ran
bend bent
begin began begun
bind bound
mean meant
buy bought
read reading
tell told
withdraw withdrawn
overwrite overwrote overwritten
rewrite rewrote rewritten
throw threw thrown
license licence licences licenses licensing
color colour colors colours
fiber fibre fibers fibres
behavior behaviour
center centre
meter metre meters metres
catalog catalogue
program programme
forget forgot forgotten
free freed
fall fell fallen
rise rose risen
"""
_BRITISH = re.compile(r"(?<=\w{3})is(e|ed|es|er|ing|ation)$")
_SYNONYMS = """
enable activate engage
disable deactivate inhibit
restart reboot relaunch bounce
remove delete erase drop discard destroy wipe
add create new generate insert append introduce
change modify alter edit adjust
configure set setting specify assign define provision customize customise parameterize parametrize
show display view print list see look visible inspect
upgrade update migrate migration updating
install deploy
connect attach plug
start launch begin commence
stop end terminate halt quit kill
raise trigger emit fire issue throw
break fail failure failed crash outage
replace swap exchange substitute
affect impact influence interrupt disturb hurt harm touch
permit allow authorize authorise entitle accept accepted valid legal
deny block forbid reject refuse prohibit
support compatible supported work works working
need require necessary mandatory requirement prerequisite must needed
return give yield
copy clone duplicate replicate
convert transform translate
connect link
send transmit submit
receive recv
size big large
size dimension
small tiny little
speed fast rate baud bandwidth throughput quick quickly bitrate
time long duration length lengthy lasts last take takes
interval often frequency frequently period cycle periodic periodically regularly
severity severe bad serious
reach far distance range
weight weigh heavy
height tall high
temperature hot
memory ram
storage disk
choose select pick
order sort sequence
remote far-end
near near-end
hostname host
log logging logged
error exception
mean meaning signify indicate stand significance denote
purpose good effect
operate run execute
kind type category
name call title term label named
component part piece element-of
different another other
colour color
light led lamp
permission right privilege access
location path place
folder directory
website site
format layout
incorrect wrong invalid
attempt try trial retry
property attribute field
version release
email mail
notify inform alert
happen occur
contain include comprise
verify check test
fix repair resolve solve remedy
cancel abort
move relocate shift transfer
compute calculate
merge combine
split divide
refresh reload
press click hit tap
control determine decide govern
detect identify recognize discover
explain describe
prevent avoid
cost price
safe secure
job task
result consequence outcome
picture image
login logon logins signin
logout logoff signout
error fault
restrict limit
wait delay
stay remain
rule policy
website webpage
label tag
log journal
expire expiration lapse run-out
renew renewal extend
encrypt cipher encryption encrypted
cipher ciphers ciphersuite
build compile
schedule plan
user account
customer client
procedure step instruction
command cli
method function routine
argument parameter option flag keyword switch
parallel simultaneous concurrent
automatic automatically auto
manual manually hand
current currently presently
previous former earlier prior preceding
available offered
import ingest
export dump
write store save
keep retain retention aging ageing age hold
"""
_OPPOSITES = """
show | change
show | configure
show | write
enable < disable
enable < shutdown
start | shutdown
add < remove
install < uninstall
install < remove
import < export
upload < download
upgrade < downgrade
start | stop
open | close
lock < unlock
connect < disconnect
mount < unmount
attach < detach
increase < decrease
raise | clear
send | receive
encode < decode
encrypt < decrypt
compress < decompress
serialize < deserialize
push < pull
allow < deny
permit < deny
include < exclude
ascending < descending
inner < outer
ingress < egress
input < output
inbound < outbound
incoming < outgoing
primary < secondary
source < destination
internal | external
local | remote
public < private
static | dynamic
synchronous < asynchronous
blocking < nonblocking
true | false
grant < revoke
register < unregister
subscribe < unsubscribe
login < logout
pause | resume
show < hide
scatter | gather
read | write
client | server
client | line
row | column
parent | child
first | last
left | right
upper < lower
up | down
old | new
short | long
backup | restore
success | failure
manual | automatic
warm | cold
join | leave
begin | end
load | unload
working | protection
online | offline
active | inactive
active | standby
master | slave
above | below
inside | outside
always | never
optional | need
accept | deny
commit | rollback
single | multiple
insert | remove
get | set
one | many
before | after
more | less
more | few
front | behind
new | gone
win | lose
keep | remove
expand | collapse
lazy | eager
lazily | eagerly
cheap | expensive
pass | fail
success | fail
approve | deny
present | absent
empty | full
early | late
fast | slow
high | low
increase | reduce
rise | fall
hot | cold
inlet | outlet
entry | exit
enter | leave
enter | exit
strong | weak
odd | even
positive | negative
horizontal | vertical
wide | narrow
deep | shallow
dark | light
light | heavy
sender | receiver
reader | writer
union | intersection
merge | divide
allowlist | blocklist
whitelist | blacklist
plus | minus
same | different
known | unknown
human | machine
guest | member
"""
_NEAR = """
change set
raise increase
start boot
take need
undo return
undo back
recover back
restore back
stop cancel
stop prevent
bypass avoid
fit connect
rollback return
plug fit
get retrieve
retrieve return
raw plain
node box
node element
device node
device box
element box
device machine
machine host
machine server
configure control
configure choose
show verify
repair replace
email notify
raise happen
result happen
purpose happen
result purpose
mean purpose
file location
cause raise
several multiple
take create
survive keep
format look
status code
call rename
start operate
replace change
torque tight
show name
find show
restore return
recover return
timeout time
timeout open
time character
size number
size keep
session login
write add
write configure
make configure
return add
affect change
read show
support permit
support need
support run
print name
keep time
delay time
notify mail
notify email
prevent stop
download location
host location
raise error
"""
_EMPTY = """
a an the this that these those it its itself they them their there here i we you he she one ones my
our your us me his her somebody someone anybody anyone something anything thing things
is are was were be been being am do does did doing done have has had having can could may might
must shall should will would
of for in on at by to from into onto with within as per via through about over under between among
and or but if whether then than so such also too very really quite just only even still yet
again now already ever both either some any all each every other another own same
what which who whom whose how when where
want wish like please know tell happen happens happened happening make makes made making let get
gets getting got become becomes go goes going come comes coming say says said
use uses used using usage order way ways actually exactly possible able currently given certain
particular specific respective respectively correct properly able
question answer documentation example e.g i.e etc vs
"""
_GENERIC = """
value parameter procedure command possible instruction syntax act have
"""
_LIGHT = """
need support time name size number interval kind mean purpose change add show location severity
reach speed permit return give available several multiple different listen store fit hold locate
raise find class exception method status type version attempt happen configure millisecond second
minute hour day property pass recommended proper perform apply execute result normal right take
plain own itself only retrieve fetch obtain describe success tell code unit
meter metre ampere amp volt watt degree ohm bit byte percent mm cm km
"""

_KNOWN_NAMES = """
postgresql sqlite mariadb mongodb mysql oracle sqlserver javascript typescript python java
kubernetes docker github gitlab numpy cupy numba pypy cython linux windows macos android chrome
firefox excel openssl redis nginx apache kafka rabbitmq elasticsearch ansible terraform jenkins
jira slack outlook azure aws
"""


_LIGHT_BESIDE = """
alarm timer role user account service server protocol wire database feature file process error
product software device system element node box table object command card module port interface api
"""
_DECISIVE = """
off out less fewer behind except other
"""


@lru_cache(maxsize=50_000)
def canonical(word: str) -> str:
    """Return the word that stands for a word in small letters, stemmed."""
    stem = stemmed(word)
    return _STANDS_FOR.get(stem, stem)


@lru_cache(maxsize=50_000)
def stemmed(word: str) -> str:
    """Return the stem of a word (Snowball, English)."""
    # The stemmer keeps the word it works on in itself, so each call has its own.
    spelt = _BRITISH.sub(r"iz\1", _BASE_OF.get(word, word))
    stem: str = stemmer("english").stemWord(spelt)
    return stem


def _lines(text: str) -> Iterable[list[str]]:
    return (line.split() for line in text.strip().splitlines())


_ABBREVIATION_OF = {short: line[0] for line in _lines(_ABBREVIATIONS) for short in line[1:]}
_BASE_OF = {past: line[0] for line in _lines(_IRREGULAR) for past in line[1:]}
_STANDS_FOR: dict[str, str] = {}
for _first, *_others in _lines(_SYNONYMS):
    for _word in (_first, *_others):
        _STANDS_FOR.setdefault(stemmed(_word), _STANDS_FOR.get(stemmed(_first), stemmed(_first)))

EMPTY = frozenset(_EMPTY.split())
"""Words, as written, that are never compared."""
NEAR = frozenset(frozenset(map(canonical, line)) for line in _lines(_NEAR))
"""Pairs of canonical words of which the one may stand for the other."""
GENERIC = frozenset(canonical(word) for word in _GENERIC.split())
"""Canonical words that may stand in one question and not in the other."""
LIGHT = frozenset(canonical(word) for word in _LIGHT.split())
"""Those that may do so only if the other question has nothing in their place."""
LIGHT_BESIDE = frozenset(canonical(word) for word in _LIGHT_BESIDE.split())
"""Those that may do so only beside a word that both questions have: the DHCP server."""
MEANING = frozenset(map(canonical, ("purpose", "mean", "result", "happen")))
"""Those that ask what a thing is or does, and not how long or how often."""
DECISIVE = frozenset(canonical(word) for word in _DECISIVE.split())
"""Those that may never stand in one question alone."""
OPPOSITES = frozenset(
    frozenset((canonical(line[0]), canonical(line[2]))) for line in _lines(_OPPOSITES)
)
"""Pairs of canonical words of which one question may not have the one, the other the other."""
MARKED = frozenset(canonical(line[2]) for line in _lines(_OPPOSITES) if line[1] == "<")
"""The second of the pairs marked "<": it always stands in a question that means it."""
KNOWN_NAMES = frozenset(_KNOWN_NAMES.split())
"""Names of products, whichever way they are written."""


def in_full(word: str) -> str:
    """Return what an abbreviation stands for, or the word."""
    return _ABBREVIATION_OF.get(word, word)


def has_synonyms(word: str) -> bool:
    """Whether a word in small letters is one of those that others may stand for."""
    return stemmed(word) in _STANDS_FOR or canonical(word) in LIGHT or word in EMPTY
