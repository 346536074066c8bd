select
    question_set,
    n_labelled,
    label_agreement,
from {{ ref('rpt_question_set') }}
where n_labelled >= 50 and label_agreement < 0.9
