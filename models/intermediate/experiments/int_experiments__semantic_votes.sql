{{ judge_votes(
    task="semantic",
    registry="stg_registry__semantic_relation",
    label_column="semantic_relation",
    position="distance",
) }}
