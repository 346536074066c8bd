{{ judge_labels(task="severity", label_column="severity", no_label="unknown") }}
