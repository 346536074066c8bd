with expected (code, path, title) as (
    values
    ('I50.9', 'IX > I30-I5A > I50 > I50.9', 'Heart failure, unspecified'),
    ('J18.9', 'X > J09-J18 > J18 > J18.9', 'Pneumonia, unspecified organism'),
    (
        'J96.90', 'X > J96-J99 > J96 > J96.9 > J96.90',
        'Respiratory failure, unspecified, unspecified whether with hypoxia or hypercapnia'
    ),
    ('C7A.00', 'II > C00-C96 > C7A-C7A > C7A > C7A.0 > C7A.00', null),
    ('M1A.00X0', 'XIII > M00-M25 > M05-M14 > M1A > M1A.0 > M1A.00 > M1A.00X0', null),
    ('B20', 'I > B20-B20 > B20', 'Human immunodeficiency virus [HIV] disease'),
    ('T07.XXXA', 'XIX > T07-T88 > T07-T07 > T07 > T07.XXXA', null),
    (
        'S52.521A', 'XIX > S50-S59 > S52 > S52.5 > S52.52 > S52.521 > S52.521A',
        'Torus fracture of lower end of right radius, initial encounter for closed fracture'
    ),
    ('U07.1', 'XXII > U00-U49 > U07 > U07.1', 'COVID-19')
),

final as (
    select
        expected.code,
        expected.path,
        codes.path as path_found,
        codes.title as title_found,
    from expected
    left join {{ ref('dim_icd10_code') }} as codes on expected.code = codes.code
    where
        codes.path is distinct from expected.path
        or (expected.title is not null and codes.title != expected.title)
)

select * from final
