with families as (
    select
        family,
        {{ normalise_name("unnest(string_split(names, '|'))") }} as name,
        string_split(genes, '|') as gene_symbols,
    from {{ ref('disease_families') }}
),

profiles as (
    select * from {{ ref('int_experiments__name_profiles') }}
    where core != ''
),

-- every name with the words of the family's name; it may have more qualifiers, but not fewer
family_names as (
    select
        profiles.name,
        families.family,
        families.gene_symbols,
    from families
    inner join profiles as own using (name)
    inner join profiles
        on
            own.core = profiles.core
            and own.series_marks is not distinct from profiles.series_marks
            and list_has_all(profiles.qualifiers, own.qualifiers)
            and list_has_all(profiles.axis_values, own.axis_values)
),

final as (
    select distinct
        name,
        family,
        unnest(gene_symbols) as gene_symbol,
        case
            when len(gene_symbols) <= {{ parameter('small_family') }} then 'family'
            when len(gene_symbols) <= {{ parameter('large_family') }} then 'large_family'
            else 'wide_family'
        end as rule,
    from family_names
)

select * from final
