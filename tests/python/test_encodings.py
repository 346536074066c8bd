"""Files of central Europe, which decode as something else, western ones like them, other kinds."""

import pytest
from click.testing import CliRunner

from python_llm.console.cases import cases
from python_llm.errors import FileError
from python_llm.imports.cells import text
from python_llm.imports.encodings import decode, of_files
from python_llm.imports.tables import read_table

POLISH = "id;text\n1;Chory zgłosił się z gorączką, ciężki stan, żółtaczka, ospa wietrzna.\n" * 4
FEW_POLISH = 'case_id,answer\nP1,"1. Ospa (ciężka) u dziecka\n2. Żółtaczka"\n' * 8
CROATIAN = "id;text\n1;Bolesnik dolazi zbog kašlja, otežanog disanja, mučnine, bolova i žeđi.\n" * 8
NAMES = "Caso;Diagnóstico;Relación semántica;Evaluador\n" + (
    "P1;Gota;Sinónimo exacto;Núñez\nP2;Asma;No relacionado;Ibáñez\n" * 12
)


@pytest.mark.parametrize(
    ("written", "encoding"),
    [
        (POLISH, "cp1250"),
        (POLISH, "cp852"),
        (POLISH, "iso8859-2"),
        (FEW_POLISH, "cp1250"),
        (CROATIAN, "cp1250"),
    ],
)
def test_central_europe_is_not_guessed(written, encoding):
    with pytest.raises(FileError, match="save it as UTF-8"):
        decode(written.encode(encoding), "a.csv")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp850", "mac_roman"])
def test_letters_beside_each_other_in_western_names(encoding):
    assert decode(NAMES.encode(encoding)) == NAMES


CHINESE = "id,text\n1,患者三天前出現發熱、咳嗽, CT 顯示肺部感染, pH 7.2, 診斷 gout 痛風及心肌炎。\n"
KOREAN = "id,text\n1,환자는 사흘 전부터 열이 나고 기침을 하며 CT 에서 폐렴이 보인다.\n"


@pytest.mark.parametrize(
    ("written", "encoding"), [(CHINESE, "big5"), (CHINESE, "gb18030"), (KOREAN, "euc_kr")]
)
def test_east_asia_with_latin_words_is_read(written, encoding):
    assert decode(written.encode(encoding)) == written


def test_a_few_words_of_chinese_are_not_korean():
    with pytest.raises(FileError, match="save it as UTF-8"):
        decode("病例,答案\n1,患者 CT 示 pH 7.2 心肌炎 gout 感染\n".encode("gb2312"))


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"$FL2@(#) SPSS DATA FILE", "SPSS"),
        (b"<stata_dta><header>", "Stata"),
        (b"RDX3\n", "of R"),
        (b"s\x02\x01\x00\x05\x00", "Stata"),
        (b"X\n\x00\x00\x00\x03", "of R"),
    ],
)
def test_files_of_statistics_are_named(tmp_path, start, kind):
    (tmp_path / "a.csv").write_bytes(start + bytes(200))
    with pytest.raises(FileError, match=kind):
        read_table(tmp_path / "a.csv", ["case_id"])


def test_marks_of_direction_are_no_part_of_an_id(tmp_path):
    (tmp_path / "a.csv").write_text("case_id,answer\n\u200fP1\xa0,1. \u202bGout\u202c\n")
    assert read_table(tmp_path / "a.csv", ["case_id", "answer"])[0].values["case_id"] == "P1"
    assert text("\u202bGout\u202c") == "Gout"


FEW = "id;text\n1;{}\n2;Fever\n"
ELSEWHERE = [
    ("Toczeń rumieniowaty układowy", "cp1250"),
    ("Grypę ma są", "cp1250"),
    ("Łuszczyca", "cp852"),
    ("Kašel a horečka", "cp1250"),
    ("erős láz", "iso8859-2"),
    ("Kalp yetmezliği hastalığı", "cp1254"),
    ("plaučių uždegimas", "cp1257"),
    ("Кашель", "cp1251"),
    ("Кашель", "koi8-r"),
    ("Βήχας", "cp1253"),
    ("García", "mac_roman"),
    ("肺炎", "cp932"),
    ("百日咳", "gb18030"),
    ("폐렴", "euc_kr"),
]


@pytest.mark.parametrize(("written", "encoding"), ELSEWHERE)
def test_a_few_words_of_elsewhere_are_not_taken_for_western(written, encoding):
    with pytest.raises(FileError, match=r"it may be .*name it with --encoding"):
        decode(FEW.format(written).encode(encoding), "a.csv")


@pytest.mark.parametrize(("written", "encoding"), ELSEWHERE)
def test_an_encoding_that_is_named_is_read(written, encoding):
    with of_files(encoding):
        assert decode(FEW.format(written).encode(encoding), "a.csv") == FEW.format(written)


@pytest.mark.parametrize(
    "written",
    [
        "La niña «García» con 38 ºC, ¿tos?, 9.000/mm³, 2.ª vez, x10³/µL, ±3 y L’Hospitalet",
        "Fièvre et toux chez une fille née à Nîmes, œdème du cœur",
        "Não há lesões, mãe, irmã, coração às 3",
        "Größe, Übelkeit, ÖDEME, Guillain–Barré, Behçet’s, naïve",
        "Ældre mand på sygehus, høj feber",
        "Sjúklingur með hita og þreytu, bólga",
        "più città perché così",
        "GARCÍA NÚÑEZ",
    ],
)
def test_a_few_western_words_are_read_without_a_word(written):
    with of_files("") as notes:
        assert decode(FEW.format(written).encode("cp1252"), "a.csv") == FEW.format(written)
    assert notes == []


def test_a_western_word_that_may_be_another_is_read_and_said():
    with of_files("") as notes:
        assert "Ménière" in decode(FEW.format("Ménière").encode("cp1252"), "a.csv")
    assert notes == [
        "a.csv is not UTF-8 and is read as cp1252 (western Europe); its content allows cp1250 as "
        "well: name the right one with --encoding."
    ]


def test_hard_blanks_are_no_letters_of_dos():
    written = FEW.format("Dr\xa0Smith saw fever\xa0and cough")
    assert decode(written.encode("cp1252")) == written


def test_a_named_encoding_is_checked():
    with pytest.raises(FileError, match="there is no such encoding"), of_files("klingon"):
        pass
    with (
        of_files("cp1252"),
        pytest.raises(FileError, match=r"a.csv, line 2: not a letter of cp1252"),
    ):
        decode(b"id\n\x81\n", "a.csv")
    with of_files("cp1250") as notes:
        assert decode("id\nCafé\n".encode(), "a.csv") == "id\nCafé\n"
    assert notes == ["a.csv is UTF-8 and is read as such, not as cp1250."]


def test_commands_take_an_encoding(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(tmp_path / "cases"))
    rows = "id;text;diagnosis\n1;Chory ma gorączkę i wysypkę;Toczeń rumieniowaty układowy\n"
    (tmp_path / "a.csv").write_bytes(rows.encode("cp1250"))
    arguments = ["import", str(tmp_path / "a.csv"), "--no-phi"]
    refused = CliRunner().invoke(cases, arguments)
    assert "--encoding" in str(refused.exception)
    read = CliRunner().invoke(cases, [*arguments, "--encoding", "cp1250"])
    assert read.exit_code == 0, read.output
    assert read.output.startswith("1 cases from a.csv")


@pytest.mark.parametrize(
    ("written", "is_said"), [("Fièvre", True), ("patient’s", True), ("NÃO Â SÃO ÂMBAR", False)]
)
def test_letters_that_were_decoded_twice_are_said(written, is_said):
    twice = written.encode().decode("cp1252") if is_said else written
    with of_files("") as notes:
        assert decode(FEW.format(twice).encode(), "a.csv") == FEW.format(twice)
    assert [note.startswith("a.csv has letters that a program") for note in notes] == [
        True
    ] * is_said
