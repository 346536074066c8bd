{# How much like an emergency of now a note must read (0 to 1) to raise an urgent flag where the rules
   raise none: even odds. On notes it was not learnt from, 91 % of emergencies raise a flag with it
   and 56 % by the rules alone, 5 % and 2 % of notes of illnesses that can wait, 19 % and 18 % of
   those with the words of an emergency that is none (benchmarks/impressions.py). #}
{% macro urgency_raised() %}0.5{% endmacro %}


{# Below it words alone stop no case. It is far below even odds, because a true flag that is lowered
   costs more than a false one that is read: at 0.1, four of 148 emergencies in a doctor's terse
   words were lost. #}
{% macro urgency_lowered() %}0.02{% endmacro %}


{# Margin of the nearest emergency from which what is done in it is said: 85 % of those so near are
   right, 57 % of all (benchmarks/impressions.py). #}
{% macro emergency_margin() %}-0.5{% endmacro %}


{# Margin of the nearest illness from which its picture is drawn where the rules draw none: of forty
   notes of two strangers thirty were so near, one of them to the wrong illness. #}
{% macro illness_margin() %}-0.8{% endmacro %}
