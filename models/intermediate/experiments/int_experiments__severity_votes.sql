{{ judge_votes(
    task="severity",
    registry="stg_registry__severity_level",
    label_column="severity",
    position="severity_value",
) }}
