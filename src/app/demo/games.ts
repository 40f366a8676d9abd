import { from } from '#app/demo/people.ts';
import type { DemoClub } from '#app/demo/club.ts';

export const games: DemoClub = {
  club_name: 'Neukölln Board Games',
  club_description:
    'Brettspiele, Kartenspiele, rules explained in German, English or with hands and feet. Beginners are always dealt in.',
  location_name: 'Café Würfelzucker, Berlin-Neukölln',
  website: 'https://spieleabend.example.org',
  time_zone: 'Europe/Berlin',
  foundedDaysAgo: 430,
  admins: ['jonas', 'noor'],
  organisers: ['emre'],
  members: [...from('lena', 'jule'), 'ada', 'zoe', 'marek'],
  linkMadeDaysAgo: 9,
  series: [
    {
      name: 'Spieleabend',
      description: 'Open tables all evening. Come when you can, leave when you must.',
      location_name: 'Café Würfelzucker',
      weekday: 3,
      everyWeeks: 1,
      time: '19:00',
      minutes: 240,
      attendanceRate: 0.6,
      cancelledIn: [1],
    },
    {
      name: 'Beginners’ table',
      description: 'Three friendly games, explained from the start.',
      location_name: 'Café Würfelzucker, back room',
      weekday: 5,
      everyWeeks: 1,
      time: '18:00',
      minutes: 150,
      attendanceRate: 0.3,
    },
    {
      name: 'Big box Saturday',
      description: 'One game, six hours, snacks for everybody. We vote on which one the day before.',
      details: 'There is room for two tables of five. If you sign up, please come.',
      location_name: 'Jonas’s flat, Weserstraße',
      weekday: 6,
      everyWeeks: 2,
      time: '14:00',
      minutes: 360,
      attendanceRate: 0.35,
    },
  ],
  occasions: [
    {
      name: '36 hours of games',
      description: 'The marathon: somebody is always awake, and somebody always makes soup.',
      details: 'Come and go as you like. Sleeping bags go under the stairs.',
      location_name: 'Café Würfelzucker, both rooms',
      inDays: -1,
      time: '18:00',
      minutes: 36 * 60,
      attendanceRate: 0.5,
      entryUntil: 30 * 60,
    },
    {
      name: 'Flea market for games',
      description: 'Bring what you no longer play and take home what somebody else no longer plays.',
      location_name: 'Rathaus Neukölln, courtyard',
      inDays: -10,
      time: '11:00',
      minutes: 240,
      attendanceRate: 0.4,
    },
    {
      name: 'Doppelkopf tournament',
      description: 'Four rounds, mixed tables, a very small cup.',
      location_name: 'Café Würfelzucker',
      inDays: 18,
      time: '19:30',
      minutes: 240,
      attendanceRate: 0.5,
    },
  ],
  updates: [
    {
      by: 'jonas',
      daysAgo: 45,
      content:
        'The café keeps our games: everything in the cupboard may be played, also outside our evenings.',
    },
    {
      by: 'noor',
      daysAgo: 20,
      content: 'We are out of sleeves. If you pass the shop, please bring two packs; the kitty pays.',
    },
    {
      by: 'jonas',
      daysAgo: 6,
      content:
        'One of the coming Wednesdays the café is closed for a wedding, so that Spieleabend is cancelled. Congratulations, Rosa!',
    },
  ],
};
