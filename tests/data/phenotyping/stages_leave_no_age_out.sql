with ages (years, expected_stage) as (
    values
    (-0.5, 'Congenital/Neonatal'),
    (0, 'Congenital/Neonatal'),
    (0.0766, 'Congenital/Neonatal'),
    (0.0767, 'Infantile'),
    (0.9999, 'Infantile'),
    (1, 'Childhood'),
    (4.9999, 'Childhood'),
    (5, 'Juvenile'),
    (15, 'Juvenile'),
    (15.0001, 'Adult'),
    (90, 'Adult')
),

stages as (
    select
        stage,
        from_years,
        from_is_included,
        below_years,
        below_is_included,
    from {{ ref('onset_stages') }}
)

select
    ages.years,
    list(stages.stage) as found_stages,
from ages
left join stages on {{ is_in_stage("ages.years") }}
group by ages.years, ages.expected_stage
having list(stages.stage) != [ages.expected_stage]
