with calibrations as (
    select * from {{ ref('int_experiments__panel_calibrations') }}
),

-- with several panels every one that can say has to agree; raters who only said where the gold
-- diagnosis stands can say of whole lists whether it was found, how far down they asked
final as (
    select
        judge_id,
        test_set,
        coalesce(
            bool_and(is_calibrated) filter (where scale = 'semantic'),
            bool_and(is_calibrated) filter (where scale like 'top%')
        ) as is_calibrated,
        bool_and(is_calibrated) filter (where scale = 'severity') as is_severity_calibrated,
    from calibrations
    group by all
)

select * from final
