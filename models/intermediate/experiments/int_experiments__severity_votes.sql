{{ judge_votes(
    task="severity",
    registry="stg_registry__severity_level",
    label_column="severity",
    worst_first="-severity_value",
) }}
