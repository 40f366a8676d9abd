import { from } from '#app/demo/people.ts';
import type { DemoClub } from '#app/demo/club.ts';

export const choir: DemoClub = {
  club_name: 'Spreechor',
  club_description: 'We sing on Mondays, from Schütz to Sting. If you can hold a tune, you can sing with us.',
  location_name: 'Kulturhaus Spree, Berlin',
  time_zone: 'Europe/Berlin',
  foundedDaysAgo: 420,
  admins: ['lena', 'paul'],
  organisers: [],
  members: [...from('emre', 'emre'), ...from('mateusz', 'mina'), ...from('agnieszka', 'jule')],
  linkMadeDaysAgo: 20,
  sections: {
    Soprano: ['lena', 'fatima', 'mina', 'jule'],
    Alto: ['ana', 'agnieszka', 'rosa'],
    Tenor: ['emre', 'mateusz', 'dario'],
    Bass: ['paul', 'till', 'henrik', 'kwame'],
  },
  absences: [
    { member: 'henrik', from: 3, to: 9, daysAgo: 0 },
    { member: 'jule', from: 20, to: 30, daysAgo: 0 },
  ],
  series: [
    {
      name: 'Rehearsal',
      description: 'Warming up at seven sharp.',
      location_name: 'Kulturhaus Spree, room 2',
      weekday: 1,
      everyWeeks: 2,
      time: '19:00',
      minutes: 120,
      attendanceRate: 0.7,
    },
  ],
  occasions: [
    {
      name: 'Tenors and basses',
      description: 'An extra evening for the low voices before the concert.',
      location_name: 'Kulturhaus Spree, room 4',
      inDays: 5,
      time: '19:30',
      minutes: 90,
      attendanceRate: 0.5,
      needed: { Tenor: 3, Bass: 3 },
    },
    {
      name: 'Summer concert',
      description: 'Our programme of the year, and a glass of wine afterwards.',
      location_name: 'Zwinglikirche',
      inDays: 25,
      time: '18:00',
      minutes: 180,
      attendanceRate: 0.8,
    },
  ],
  updates: [
    {
      by: 'lena',
      daysAgo: 6,
      content: 'The scores are printed. Please bring a pencil.',
      important: true,
    },
  ],
};
