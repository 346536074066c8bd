select
    feedback.feedback_id,
    feedback.patient_id,
from {{ ref('fct_document_feedback') }} as feedback
left join {{ ref('dim_synthetic_patient') }} as patients
    on feedback.patient_id = patients.patient_id
where feedback.is_used and coalesce(patients.is_holdout, true)
