"""What an import of labels is of, as named on the command line, and whose list a row is of."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from python_llm.errors import FileError
from python_llm.registries.names import CONFIGURATIONS, are_same, nearest
from python_llm.runs.importing import ALIAS, check_judge
from python_llm.test_sets.importing import check_name

NOT_ALIAS = re.compile(r"[^A-Za-z0-9_.\-]+")
OF_EACH_ROW = "{model}"  # in a configuration: what the row's column of models says


@dataclass(frozen=True)
class Source:
    """What the labels are of, as named on the command line.

    judge: name of the panel. test_set: where the cases are. configuration: whose lists ranks, or
    gradings of whole lists, are of, written model/prompt/test_set; {model} in it is what each row
    says. makes_test_set: the lists are nowhere yet, `test_set` is to hold them. kind: 'person', or
    'recorded' for labels of another program. ranks_from: the number of the first rank where the
    rank of the gold diagnosis is a bare number; None: 1, unless the numbers speak against it.
    """

    judge: str
    test_set: str = ""
    configuration: str = ""
    makes_test_set: bool = False
    kind: str = "person"
    language: str = "en"
    ranks_from: int | None = None

    def __post_init__(self) -> None:
        if not ALIAS.fullmatch(self.judge):
            raise FileError(
                f"--judge '{self.judge}' is not an alias: use letters, digits, '_', '-' and '.'."
            )
        check_judge(self.judge, "people's")
        if self.configuration and self.configuration.count("/") != 2:
            raise FileError(
                f"--configuration '{self.configuration}': write model/prompt/test_set, as "
                "`kernel29 leaderboard` shows it."
            )
        if self.makes_test_set:
            try:
                check_name(self.test_set, "table")
            except FileError as error:
                raise FileError(f"--new-test-set: {error}") from error

    def check_configuration(self, known: Collection[str]) -> None:
        """Raise FileError if the configuration named for all rows is none of `known`."""
        configuration = self.configuration
        if (
            configuration
            and OF_EACH_ROW not in configuration
            and not any(are_same(configuration, configuration_id) for configuration_id in known)
        ):
            raise FileError(f"--configuration: {_unknown(configuration, known)}.")

    def configuration_of(
        self, value: Mapping[str, str], known: Collection[str]
    ) -> tuple[str | None, str]:
        """Whose list a row is of, by its own columns and what is given for all; and why it is not
        taken, if it is of another model than it is imported for or of none that is there. `known`
        are the configurations there are: one that is written a little otherwise is meant."""
        named, model = self.configuration, value.get("model", "")
        written = value.get("configuration", "") or (model if model.count("/") == 2 else "")
        if OF_EACH_ROW in named:
            if not model:
                return None, f"no model, which --configuration {named} asks for"
            named = named.replace(OF_EACH_ROW, NOT_ALIAS.sub("_", model).strip("_"))
        elif named and model and not written and not are_same(model, named.partition("/")[0]):
            return None, f"of model '{model[:40]}', not of '{named.partition('/')[0]}'"
        if named and written and not are_same(written, named):
            return None, f"of '{written[:60]}', not of '{named}'"
        configuration = named or written or None
        matches = [
            configuration_id
            for configuration_id in known
            if configuration and are_same(configuration_id, configuration)
        ]
        if configuration and not matches:
            return None, _unknown(configuration, known)
        return (matches[0] if len(matches) == 1 else configuration), ""


def _unknown(configuration: str, known: Collection[str]) -> str:
    return (
        f"there is no configuration '{configuration[:80]}', neither recorded nor served nor in "
        f"{CONFIGURATIONS}; the nearest: {nearest(configuration, known)}"
    )
