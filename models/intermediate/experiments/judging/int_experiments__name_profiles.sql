with words as (
    select * from {{ ref('int_experiments__name_words') }}
),

final as (
    select
        name,
        coalesce(string_agg(word, ' ' order by word) filter (where kind = 'word'), '') as core,
        string_agg(word, ' ' order by word) filter (where kind = 'mark') as series_marks,
        coalesce(
            list_sort(list(word) filter (where kind = 'qualifier' and len(axis_values) = 0)), []
        ) as qualifiers,
        list_sort(list_distinct(flatten(list(axis_values)))) as axis_values,
        coalesce(round(sum(weight) filter (where kind = 'word'), 9), 0) as size,
    from words
    group by all
)

select * from final
