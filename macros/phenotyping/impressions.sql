{# How much like an emergency of now a note must read (0 to 1) to raise an urgent flag where the rules
   raise none: even odds. Of 5,494 notes of writers it has not learnt from, 91 % of emergencies raise a
   flag with it and 10 % of all others, most of which have an emergency's words; by the rules alone
   it is 43 and 19 % (benchmarks/impressions.py --writers). #}
{% macro urgency_raised() %}0.5{% endmacro %}


{# Below it words alone stop no case. It is far below even odds, because a true flag that is lowered
   costs more than a false one that is read: of the same notes, 0.4 % of the emergencies are lost by
   it and half of the false alarms of the rules; at 0.02 it was 0.2 % and a quarter. Where a note has
   few words, each weighs much, and a doctor's terse sentence with every sign may read like one from
   a book: at 0.1 four of 576 such emergencies were lost. #}
{% macro urgency_lowered(n_words) %}if({{ n_words }} < 25, 0.02, 0.1){% endmacro %}


{# Margin of the nearest emergency from which what is done in it is said: 85 % of those so near are
   right, 57 % of all (benchmarks/impressions.py). #}
{% macro emergency_margin() %}-0.5{% endmacro %}


{# Margin of the nearest illness from which its picture is drawn where the rules draw none: of forty
   notes of two strangers thirty were so near, one of them to the wrong illness. #}
{% macro illness_margin() %}-0.8{% endmacro %}
