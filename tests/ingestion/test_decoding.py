import pytest

from ingestion.decoding import decode
from ingestion.page import UnreadableFile

WORDS = "Grüße aus Köln: 5 €"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "windows-1252"])
def test_text_is_decoded_without_being_told_how(encoding: str) -> None:
    assert decode(WORDS.encode(encoding)) == WORDS


def test_utf_16_is_recognised_without_its_mark() -> None:
    assert decode("Latin letters".encode("utf-16-le")) == "Latin letters"
    assert decode("Latin letters".encode("utf-16-be")) == "Latin letters"


def test_what_the_file_declares_is_believed() -> None:
    assert decode("Привет".encode("koi8-r"), declared="koi8-r") == "Привет"
    assert decode("ＭＴＵ".encode("iso2022_jp"), declared="iso-2022-jp") == "ＭＴＵ"


def test_utf_8_is_believed_before_what_the_file_declares() -> None:
    assert decode("Привет".encode(), declared="windows-1251") == "Привет"


JAPANESE = "バルブは五秒後に閉じ、指示があれば再び開きます。待ち時間は 30 秒です。"
RUSSIAN = "Клапан закрывается через пять секунд и открывается снова по команде."


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("shift_jis", JAPANESE),
        ("euc_jp", JAPANESE),
        ("iso2022_jp", JAPANESE),
        ("koi8_r", RUSSIAN),
        ("windows-1251", RUSSIAN),
        ("cp866", RUSSIAN),
        ("gb18030", "阀门在五秒后关闭,并在收到指令时再次打开。"),
        ("big5", "閥門在五秒後關閉,收到指令時再次打開。"),
        ("euc_kr", "밸브는 5초 후에 닫히고 지시가 있으면 다시 열립니다."),
        ("iso8859_7", "Η βαλβίδα κλείνει μετά από πέντε δευτερόλεπτα."),
        ("windows-1250", "Zawór zamyka się po pięciu sekundach i otwiera się ponownie."),
    ],
)
@pytest.mark.parametrize("before", ["", "# Valve\n\nThe default is 5 seconds. "])
def test_other_letters_are_recognised(encoding: str, text: str, before: str) -> None:
    assert decode((before + text).encode(encoding)) == before + text


@pytest.mark.parametrize(
    "text",
    [
        "Le débit",
        "caf\u00e9",
        "Temp 20°C ±2, 5 µA, £5, ½ turn, naïve café",
        "The valve’s delay is 5 s — see “Timing”.",
        "La válvula se cierra a los cinco segundos. ¿Cuál es el límite?",
    ],
)
def test_a_few_letters_of_the_west_are_taken_for_windows_1252(text: str) -> None:
    assert decode(text.encode("windows-1252")) == text


def test_a_declared_latin_1_is_what_browsers_take_it_for() -> None:
    assert decode("“5 €”".encode("windows-1252"), declared="ISO-8859-1") == "“5 €”"


@pytest.mark.parametrize("declared", ["ascii", "no-such-encoding", "utf-16"])
def test_a_false_declaration_does_no_harm(declared: str) -> None:
    assert decode("é is a letter".encode(), declared=declared) == "é is a letter"


def test_line_ends_become_newlines_and_the_invisible_goes() -> None:
    assert decode("a\r\nb\rc\u200b\ufeff\x00d\u00ade".encode()) == "a\nb\ncde"


@pytest.mark.parametrize("data", [b"", b" \n\t "])
def test_an_empty_file_says_so(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="empty"):
        decode(data)


def test_binary_data_says_so() -> None:
    with pytest.raises(UnreadableFile, match="binary"):
        decode(bytes(range(256)) * 20)


def test_a_mislabelled_file_is_named_for_what_it_is() -> None:
    with pytest.raises(UnreadableFile, match="a PDF and not text"):
        decode(b"%PDF-1.7 and so on")
