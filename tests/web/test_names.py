"""Names: those of all the world pass, those that pretend to be another do not, and handles tell people apart."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
import regex
import sqlalchemy as sa
from alembic import command
from hypothesis import given
from hypothesis import strategies as st
from tests.web.conftest import register
from tests.web.stories import PHOTO

from entrenous.errors import ArgumentError
from entrenous.web.rules.naming import names as naming
from entrenous.web.rules.naming.characters import REPLACEMENT, has_unseen, shown
from entrenous.web.rules.naming.lookalikes import handle_shape, look_alikes, skeleton
from entrenous.web.rules.naming.names import RESERVED, checked_name, checked_new_handle
from entrenous.web.rules.refusals import Conflict
from entrenous.web.rules.typed import checked_text
from entrenous.web.service import befriending, membership, workflow
from entrenous.web.store.database import Database, _alembic
from entrenous.web.store.records import Who
from entrenous.web.store.schema import people

WORLD = {
    "Latin": (
        "Ann|Zoë Brontë|Nguyễn Thị Minh Khai|Đặng Thái Sơn|Siobhán O’Brien|Sean O'Neil|Mary-Jane Watson|"
        "Martin Luther King, Jr.|J. R. R. Tolkien|Mª José Núñez|Łukasz Żółć|Åsa Ångström|"
        "Þórður Guðmundsson|Ğülşen Şahin|İbrahim Işık|Anđela Čučković|Ọlábísí Ògúnwálé|Ngũgĩ wa Thiong’o|"
        "Kealiʻi Reichel|Ahmed al-Ṣayyid|Jordi Gal·la|Jean‐Luc Godard|d'Artagnan|van der Waals|"
        "Ann (Choir)|Ann & Bob|Elizabeth 2|X Æ A-12|Ẹ̀bùn"
    ),
    "Arabic": "محمد علي|فاطمة الزهراء|عبد الله بن عمر|مُحَمَّد|علی‌رضا|می‌نا رضایی|ناهید شریف‌زاده|گلزار احمد",
    "Hebrew": "יעל כהן|דוד בן־גוריון|צ׳רלי|שִׁמְעוֹן|אבו־עלי",
    "Greek": "Ελένη Παπαδοπούλου|Γιώργος Σεφέρης|Ἀριστοτέλης",
    "Cyrillic": "Анна Ахматова|Сара|Олександр Шевченко|Ђорђе Балашевић|Ғабит Мүсірепов|Наташа Ё.",
    "Georgian": "ნინო ბერიძე|შოთა რუსთაველი",
    "Armenian": "Անի Հակոբյան|Արամ Խաչատրյան",
    "Ethiopic": "ሰላም ተስፋዬ|አበበ ቢቂላ",
    "Devanagari": "प्रिया शर्मा|श्रीकृष्ण|राजेन्द्र प्रसाद|क्‍षमा",
    "Bengali": "রবীন্দ্রনাথ ঠাকুর|শেখ মুজিব",
    "Tamil": "தமிழ்ச்செல்வி|சுப்பிரமணியன்",
    "Telugu": "శ్రీనివాస్ రావు",
    "Kannada": "ಕುವೆಂಪು",
    "Malayalam": "മോഹൻലാൽ|അവന്‍",
    "Sinhala": "ශ්‍රී ලාල්|සමන් පෙරේරා",
    "Gujarati": "ગાંધી મોહન",
    "Gurmukhi": "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ",
    "Oriya": "ସୁବାଷ",
    "Thai": "สมชาย ใจดี|น้ำทิพย์ จงรัชตวิบูลย์",
    "Lao": "ບຸນມີ ຄໍາ",
    "Khmer": "សុខ វិបុល|នរោត្តម",
    "Burmese": "အောင်ဆန်းစုကြည်|မြို့သူ",
    "Tibetan": "བསྟན་འཛིན་རྒྱ་མཚོ",
    "Han": "王小明|李娜|歐陽菲菲|爱新觉罗·溥仪",
    "Japanese": "田中さくら|山田 太郎|マイケル・ジャクソン|佐々木ヒロ|渡邉\U000e0101|ﾀﾅｶ|DJ 田中|サラ・オコナー",
    "Korean": "김민준|이서연|Kim 민준|선동열",
    "Bopomofo": "ㄨㄤˊ",
    "Mongolian": "ᠪᠠᠲᠤ",
    "Cherokee": "ᏍᏏᏉᏯ",
    "Thaana": "އިބްރާހިމް",
    "Syriac": "ܐܦܪܝܡ",
    "Tifinagh": "ⵎⴰⵙⵉⵏ",
    "Nko": "ߛߏߟߏߡߊߣߊ",
    "Cree": "ᐃᓄᒃ",
    "Adlam": "𞤀𞤣𞤢𞤥",
}
NAMES = [" ".join(name.split()) for names in WORLD.values() for name in names.split("|")]

PRETENDING = {
    "a Cyrillic letter in a Latin name": ["Аnn", "Bоb", "pаypаl", "Ann Маy"],
    "a Greek letter in a Latin name": ["Αnn", "Bοb"],
    "a Cherokee letter in a Latin name": ["Ꭺnn"],
    "marks of another script": ["A\u064bnn", "Ann\u05b0"],
    "invisible": ["Ann\u200b", "A\u200dnn", "A\u200cnn", "Ann\u2060", "Ann\ufeff", "An\u00adn", "An\u034fn"],
    "variation selectors": ["Ann\ufe0f", "A\ufe00nn", "Ann\U000e0101"],
    "fillers": ["\u3164", "Ann\u3164", "\u115f\u1160", "Ann\uffa0", "\u2800", "Ann\u2800"],
    "tags": ["Ann\U000e0041\U000e0042", "🏴\U000e0067\U000e0062\U000e007f"],
    "direction": [
        "Ann\u202e",
        "\u202dAnn",
        "Ann\u2066",
        "Ann\u200f",
        "\u200eAnn",
        "Ann\u061c",
        "A\u2067n\u2069n",
    ],
    "control": ["An\x00n", "An\x07n", "An\nn", "An\tn", "An\x85n", "Ann\u2028Bob"],
    "private and unassigned": ["Ann\ue000", "Ann\U0010fffd", "Ann\u0378", "Ann\uffff"],
    "a half of a pair": ["Ann\ud800", "\udc00Ann"],
    "piled-up marks": [
        "A\u0301\u0301nn",
        "Z\u0335\u0321\u0322alg",
        "a" + "\u0300\u0301\u0302\u0303\u0304",
        "\u0301Ann",
        "Ann \u0301",
    ],
    "enclosing marks": ["A\u20ddnn"],
    "no letter": ["", "   ", "123", "...", "-", "'"],
    "costumes": ["𝐀nn", "Ⓐnn", "ᴬnn", "José Mᵃ", "🅰nn"],
    "signs and pictures": [
        "Ann ✔",
        "Ann 👑",
        "Ann @ann",
        "Ann ＠bob",
        "<b>Ann</b>",
        "Ann™",
        "Ann $",
        "“Ann”",
    ],
    "scripts nobody writes": ["𒀭𒈹", "𐌰𐌽𐌽𐌰", "ᚨᚾᚾ"],
    "words of the service": ["Admin", "Entre Nous", "entrenous", "You", "Somebody who left"],
    "too long": ["a" * 81],
}
REFUSED = [name for names in PRETENDING.values() for name in names]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_the_world_pass(name: str) -> None:
    clean = checked_name(name)
    assert clean == unicodedata.normalize("NFC", clean)
    assert shown(clean) == clean, "a name that is accepted is shown as it is"
    assert skeleton(clean)


def test_there_are_names_enough() -> None:
    assert len(NAMES) >= 60
    assert len(WORLD) >= 20


@pytest.mark.parametrize("name", REFUSED)
def test_names_that_pretend_are_refused_and_never_repeated(name: str) -> None:
    with pytest.raises(ArgumentError) as refusal:
        checked_name(name)
    said = str(refusal.value).removeprefix("name: ")
    assert said.startswith("expected")
    assert len(name) < 2 or name not in said


def test_fault_9_a_look_alike_letter_is_refused_at_the_door(database: Database) -> None:
    """Fault 9: look-alike Cyrillic, invisible and right-to-left characters were accepted."""
    for name in ("Аnn", "Ann\u200b", "Ann\u202e"):
        with database.writing() as session, pytest.raises(ArgumentError):
            membership.register(session, handle="ann", name=name)
    register(database, "ann")
    with database.writing() as session, pytest.raises(ArgumentError):
        membership.update_profile(session, 1, name="Аnn", email=None, mail=True)


def test_blanks_and_widths_are_made_plain() -> None:
    assert checked_name("  Ann\u00a0\u3000 Lee ") == "Ann Lee"
    assert checked_name("Ａｎｎ") == "Ann"
    assert checked_name("ﾀﾅｶ") == "タナカ"
    assert checked_name("Zoe\u0308") == "Zoë"


@given(st.text(max_size=90))
def test_whatever_passes_shows_itself(text: str) -> None:
    """No name and no text that is accepted holds anything that nobody sees."""
    try:
        name = checked_name(text)
    except ArgumentError:
        pass
    else:
        assert not has_unseen(name, name=True)
        assert checked_name(name) == name
        assert regex.search(r"\p{L}", name)  # by the tables of the program: those of Python may be older
    assert not has_unseen(shown(text), lines=True)
    assert shown(shown(text)) == shown(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\u1820\u180b", "\u1820\u180b"),
        ("\u180b\u180b", "��"),  # a variant of nothing, and one of a variant
        ("\u1820\u180b\u180c", "\u1820\u180b�"),
        ("ب\u200cب", "ب\u200cب"),
        ("ب\u200c\u00adب", "ب��ب"),  # what joined over a character that is taken out joins nothing
        ("\U0001f0ff\u200d\U0001f0ff", "���"),
    ],
)
def test_what_stands_beside_a_character_that_is_taken_out_is_judged_anew(text: str, told: str) -> None:
    assert shown(text) == told
    assert not has_unseen(told, lines=True)


# --- texts --------------------------------------------------------------------------------------------------

TEXTS = [
    "A day out",
    "👩‍💻 at work",
    "👨‍👩‍👧‍👦",
    "❤️ and 1️⃣",
    "👍🏽",
    "England 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "می‌خواهم",
    "ភ្នំ\u200bពេញ",
    "渡邉\U000e0101さん",
    "⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙",
    "three € for a ☕, 50 % off",
    "“quoted” – and more…",
]


@pytest.mark.parametrize("text", TEXTS)
def test_ordinary_texts_pass(text: str) -> None:
    assert checked_text("title", text, most=120) == unicodedata.normalize("NFC", text)
    assert shown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a\u202eb",
        "a\u2066b",
        "a\u200bb",
        "a\u00adb",
        "a\u2060b",
        "a\u3164",
        "a\ue000",
        "a\ud800b",
        "a\u2800b",
        "x\u200dy",
        "a\U000e0061b",
        "a\ufe0fb",
    ],
)
def test_texts_with_what_nobody_sees_are_refused(text: str) -> None:
    for lines in (False, True):
        with pytest.raises(ArgumentError):
            checked_text("text", text, most=1000, lines=lines)
    assert REPLACEMENT in shown(text)


def test_marks_of_direction_are_left_out_of_texts() -> None:
    assert checked_text("title", "שלום\u200f!", most=120) == "שלום!"
    assert checked_text("description", "one\n\ntwo", most=120, lines=True) == "one\n\ntwo"
    with pytest.raises(ArgumentError):
        checked_text("title", "one\ntwo", most=120)


def test_titles_words_petitions_and_circles_are_checked(database: Database) -> None:
    """Fault 9: right-to-left overrides went into titles as well."""
    (ann,) = register(database, "ann")
    bad = "harmless\u202egpj.exe"
    with database.writing() as session:
        item = workflow.create_item(session, ann, PHOTO, title="Fine")
        workflow.open_item(session, ann, item)
    for act in (
        lambda session: workflow.create_item(session, ann, PHOTO, title=bad),
        lambda session: workflow.create_item(session, ann, PHOTO, title="Fine", description=bad),
        lambda session: befriending.create_circle(session, ann, bad),
    ):
        with database.writing() as session, pytest.raises(ArgumentError):
            act(session)


# --- looks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Capa", "Сара"),
        ("BOB", "ВОВ"),
        ("Ann", "ANN"),
        ("Anna-Lena", "Anna Lena"),
        ("O’Neil", "O'Neil"),
        ("Mary", "rnary"),
        ("Ian", "lan"),
        ("Ann 0", "Ann O"),
        ("渡邉", "渡邉\U000e0101"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


def test_different_names_have_different_skeletons() -> None:
    assert len({skeleton(name) for name in NAMES}) == len(NAMES)
    alone = [Who(number, f"h{number}", name) for number, name in enumerate(NAMES)]
    assert look_alikes(alone) == []
    twins = (Who(1, "sara", "Capa"), Who(2, "capa", "Сара"))
    assert look_alikes([*twins, twins[0], Who(3, "ann", "Ann")]) == [twins]


def test_two_people_may_have_one_name_and_the_look_is_kept(database: Database) -> None:
    with database.writing() as session:
        for handle, name in (("sara", "Capa"), ("capa", "Сара"), ("capa2", "Сара")):
            membership.register(session, handle=handle, name=name)
        membership.update_profile(session, 3, name="Ann", email=None, mail=False)
        kept = session.execute(sa.select(people.c.skeleton).order_by(people.c.id)).scalars().all()
    assert kept == ["capa", "capa", "ann"]


# --- handles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("taken", "wanted"),
    [
        ("bob", "b0b"),
        ("lily", "1i1y"),
        ("mary", "rnary"),
        ("will", "vvill"),
        ("ann-b", "ann_b"),
        ("ann.b", "ann-b"),
        ("ann", "ann-"),
    ],
)
def test_a_handle_that_looks_like_another_is_refused(database: Database, taken: str, wanted: str) -> None:
    register(database, taken)
    with database.writing() as session, pytest.raises(Conflict, match="looks like it"):
        membership.register(session, handle=wanted, name="Somebody Else")


@pytest.mark.parametrize("handle", [*RESERVED, "adm1n", "r00t", "supp0rt", "entre_nous"])
def test_words_of_the_service_are_nobodys_handle(handle: str) -> None:
    with pytest.raises(ArgumentError):
        checked_new_handle(handle)


@pytest.mark.parametrize("handle", ["а", "анна", "ann é", "ann\u200b", "аnn", "-ann", "a" * 41, "a"])
def test_handles_are_plain(handle: str) -> None:
    with pytest.raises(ArgumentError):
        checked_new_handle(handle)


def test_a_shape_is_free_again_when_its_owner_left(database: Database) -> None:
    register(database, "ann", "bob")
    with database.writing() as session:
        membership.delete_account(session, 2)
        membership.register(session, handle="b0b", name="Bob")


@pytest.mark.postgres
def test_of_two_look_alikes_at_one_moment_one_gets_it(either: Database) -> None:
    def open_one(handle: str) -> bool:
        try:
            either.write(lambda session: membership.register(session, handle=handle, name="Bob"))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(open_one, ("bob-1", "bob_1", "b0b.1", "b0b-l"))) == 1


def test_numbers_make_handles_that_differ() -> None:
    assert len({handle_shape(f"person{number}") for number in range(5000)}) == 5000


def test_a_name_from_elsewhere_is_taken_if_it_is_one() -> None:
    assert naming.name_from("Ann Example", "ann") == "Ann Example"
    assert naming.name_from("Аnn", "ann") == "ann"


# --- people of before ---------------------------------------------------------------------------------------


def test_people_of_before_keep_name_and_handle(either: Database) -> None:
    """The migration fills in how names and handles look; of look-alikes the first one has the shape."""
    with either._writing.begin() as connection:
        command.downgrade(_alembic(connection), "changes")
        for number, handle, name in ((1, "bob-1", "Аnn\u202e"), (2, "bob_1", "Capa"), (3, "admin", "Сара")):
            values = {"id": number, "handle": handle, "name": name, "created": datetime(2030, 1, 1)}
            columns = ", ".join((*values, "admin", "mail"))
            connection.execute(
                sa.text(
                    f"INSERT INTO people ({columns}) VALUES (:id, :handle, :name, :created, false, false)"
                ),
                values,
            )
        friends = "INSERT INTO friendships (person, friend, percent, since) VALUES (1, 2, 0, :moment)"
        if "counts_line" in {column["name"] for column in sa.inspect(connection).get_columns("friendships")}:
            friends = friends.replace("since)", "since, counts_line)").replace(":moment)", ":moment, false)")
        connection.execute(sa.text(friends), {"moment": datetime(2030, 1, 1)})
    either.migrate()
    with either.reading() as session:
        query = sa.select(people.c.handle, people.c.name, people.c.shape, people.c.skeleton)
        rows = [tuple(row) for row in session.execute(query.order_by(people.c.id))]
    assert rows == [
        ("bob-1", "Аnn\u202e", "bob-l", "ann"),
        ("bob_1", "Capa", None, "capa"),
        ("admin", "Сара", "admln", "capa"),
    ]
