with test_sets as (
    select * from {{ ref('dim_test_set') }}
),

detectable as (
    select * from {{ ref('int_experiments__detectable_differences') }}
),

-- the assumption beside what was seen: the power depends on how often two configurations disagree
observed as (
    select
        test_set,
        round(median((n_a_better + n_b_better) / n_cases), 12) as observed_discordant_share,
    from {{ ref('fct_configuration_comparison') }}
    where metric = 'top1_strict'
    group by all
),

final as (
    select
        test_sets.test_set,
        test_sets.version as test_set_version,
        test_sets.n_cases,
        {{ parameter('test_power') }}::double as test_power,
        {{ parameter('assumed_discordant_share') }}::double as assumed_discordant_share,
        observed.observed_discordant_share,
        detectable.detectable_share_difference,
        detectable.detectable_standardised_difference,
        test_sets.n_cases < {{ parameter('small_stratum') }} as is_small,
    from test_sets
    left join detectable on test_sets.n_cases = detectable.n_cases
    left join observed on test_sets.test_set = observed.test_set
)

select * from final
