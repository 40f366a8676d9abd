import { defineMessages } from '#wire/messages.ts';

/** How a series repeats, as a sentence and within a sentence. */
export const t = defineMessages('events.repeat', {
  daily:
    '{every, plural, =1 {Every day} =2 {Every two weeks on every day} other {Every # weeks on every day}}',
  onWeekdays:
    '{every, plural, =1 {Every weekday} =2 {Every two weeks on weekdays} other {Every # weeks on weekdays}}',
  weekly: '{every, plural, =1 {Every {days}} =2 {Every two weeks on {days}} other {Every # weeks on {days}}}',
  monthlyOnDay:
    '{every, plural, =1 {Monthly} =2 {Every two months} other {Every # months}} on the {day, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}',
  monthlyOnLastDay:
    '{every, plural, =1 {Monthly} =2 {Every two months} other {Every # months}} on the last day',
  monthlyOnWeekday:
    '{every, plural, =1 {Monthly} =2 {Every two months} other {Every # months}} on the {nth, plural, =1 {first} =2 {second} =3 {third} =4 {fourth} other {last}} {weekday}',
  dailyInSentence:
    '{every, plural, =1 {every day} =2 {every two weeks on every day} other {every # weeks on every day}}',
  onWeekdaysInSentence:
    '{every, plural, =1 {every weekday} =2 {every two weeks on weekdays} other {every # weeks on weekdays}}',
  weeklyInSentence:
    '{every, plural, =1 {every {days}} =2 {every two weeks on {days}} other {every # weeks on {days}}}',
  monthlyOnDayInSentence:
    '{every, plural, =1 {monthly} =2 {every two months} other {every # months}} on the {day, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}',
  monthlyOnLastDayInSentence:
    '{every, plural, =1 {monthly} =2 {every two months} other {every # months}} on the last day',
  monthlyOnWeekdayInSentence:
    '{every, plural, =1 {monthly} =2 {every two months} other {every # months}} on the {nth, plural, =1 {first} =2 {second} =3 {third} =4 {fourth} other {last}} {weekday}',
});
