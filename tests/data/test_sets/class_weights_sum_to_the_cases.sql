with classes as (
    select
        test_set,
        gold_class,
        sum(class_weight) as weight,
        count(*) as n_cases,
    from {{ ref('bridge_test_set_case') }}
    group by all
),

final as (
    select
        test_set,
        sum(weight) as weight,
        sum(n_cases) as n_cases,
        max(weight) - min(weight) as spread,
    from classes
    group by all
    having abs(sum(weight) - sum(n_cases)) > 1e-6 or max(weight) - min(weight) > 1e-6
)

select * from final
