"""How a gold diagnosis is called on a screen."""

# As whoever made the case wrote it. The first name in the terminologies stands for codes alone, and
# for what a hospital wrote of a patient, which may name a person.
GOLD = """
    case
        when contains_phi or gold_written is null or regexp_full_match(
            gold_written,
            '([A-Za-z]+:[0-9]+|[A-Z][0-9][0-9A-Z][0-9A-Z.]*)(, ([A-Za-z]+:[0-9]+|[A-Z][0-9].*))*'
        ) then split_part(gold_diagnosis, ' also known as ', 1)
        else gold_written
    end
"""
