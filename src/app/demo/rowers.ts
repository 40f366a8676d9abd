import { from } from '#app/demo/people.ts';
import type { DemoClub } from '#app/demo/club.ts';

export const rowers: DemoClub = {
  club_name: 'Leith Harbour Rowers',
  club_description:
    'Coastal rowing for everybody between 16 and 80. We have three skiffs, two good coaches and a kettle that never rests. No experience needed: if you can sit and count to ten, you can row with us.',
  location_name: 'The Boathouse, Pier 3, Leith, Edinburgh',
  website: 'https://rowers.example.org',
  time_zone: 'Europe/London',
  foundedDaysAgo: 1160,
  admins: ['ada', 'callum', 'priya'],
  organisers: ['zoe', 'fergus'],
  members: [...from('lukasz', 'lukasz'), ...from('ines', 'new'), 'noor'],
  linkMadeDaysAgo: 2,
  series: [
    {
      name: 'Tuesday evening row',
      description: 'An easy hour on the water for everybody, all three skiffs, then tea.',
      details:
        'Be at the pier ten minutes early and dressed to get wet up to the knee.\nWe swap crews half-way.',
      location_name: 'Pier 3',
      weekday: 2,
      everyWeeks: 1,
      time: '18:30',
      minutes: 90,
      attendanceRate: 0.55,
      cancelledIn: [2],
    },
    {
      name: 'Early birds: technique',
      description: 'Short, sharp and coached. Home before work.',
      details: 'Two crews of five. Tell Priya if you would like to be filmed.',
      location_name: 'Pier 3',
      weekday: 4,
      everyWeeks: 1,
      time: '06:15',
      minutes: 75,
      attendanceRate: 0.3,
    },
    {
      name: 'Saturday long row',
      description: 'Out past the breakwater to Inchkeith and back, weather allowing.',
      details: 'Bring water, something to eat and a dry layer.\nThe cox decides on the day how far we go.',
      location_name: 'Pier 3, by the blue container',
      weekday: 6,
      everyWeeks: 1,
      time: '09:00',
      minutes: 180,
      attendanceRate: 0.45,
      cancelledIn: [-3],
    },
    {
      name: 'Learn to row',
      description: 'First strokes for newcomers. Bring a friend.',
      location_name: 'The Boathouse',
      weekday: 0,
      everyWeeks: 2,
      time: '10:30',
      minutes: 120,
      attendanceRate: 0.25,
    },
  ],
  occasions: [
    {
      name: 'Training week at Strathclyde Park',
      description: 'Five days of flat water, two sessions a day and one long table in the evening.',
      details:
        'Cars leave the boathouse at eight. Rooms are shared by two.\n\nWhat to bring: kit for five days, a torch, a cake.',
      location_name: 'Strathclyde Country Park, Motherwell',
      inDays: -2,
      time: '09:00',
      minutes: 4 * 24 * 60 + 420,
      attendanceRate: 0.35,
      entryUntil: -2 * 24 * 60,
    },
    {
      name: 'Stretch and tea',
      description: 'Half an hour of stretching on the boathouse floor, and as much tea as you like.',
      location_name: 'The Boathouse, upstairs',
      inDays: 0,
      time: '20:00',
      minutes: 60,
      attendanceRate: 0.4,
    },
    {
      name: 'Sand, varnish, repeat',
      description: 'The skiffs need some love before the regatta. Old clothes, please.',
      location_name: 'The Boathouse',
      inDays: 3,
      time: '10:00',
      minutes: 300,
      attendanceRate: 0.3,
    },
    {
      name: 'Open day on the pier',
      description: 'Neighbours, dogs and children welcome: a turn in the skiff for everybody.',
      location_name: 'Pier 3',
      inDays: 6,
      time: '11:00',
      minutes: 300,
      attendanceRate: 0.5,
      isCancelled: true,
    },
    {
      name: 'North Berwick regatta',
      description: 'Our biggest day out: four races, three crews, one trailer and far too many sandwiches.',
      details:
        'The trailer leaves at 06:30. Races from 10:00 to 16:00, prize giving at the harbour at 17:00.',
      location_name: 'West Bay, North Berwick',
      inDays: 13,
      time: '06:30',
      minutes: 690,
      attendanceRate: 0.65,
      entryUntil: -3 * 24 * 60,
    },
    {
      name: 'Club supper and quiz',
      description: 'Fish pie, three rounds of questions, no speeches.',
      location_name: 'The Shore Bar & Bistro',
      inDays: 18,
      time: '19:00',
      minutes: 210,
      attendanceRate: 0.6,
    },
  ],
  updates: [
    {
      by: 'ada',
      daysAgo: 52,
      content: 'Welcome back, everybody! The pontoon is repaired and both lights work again.',
    },
    {
      by: 'callum',
      daysAgo: 38,
      content:
        'New oars have arrived. They are the ones with the green tape; please do not leave them on the slip.',
    },
    {
      by: 'priya',
      daysAgo: 24,
      content:
        'Coaching: if you would like a place with the early birds, tell me which two mornings suit you and I will draw up crews.',
    },
    {
      by: 'ada',
      daysAgo: 11,
      content:
        'Thank you to the twelve of you who carried the old container away. It looks like a harbour again.\n\nThe key to the new one hangs where the old one hung.',
    },
    {
      by: 'callum',
      daysAgo: 5,
      content:
        'The open day is cancelled: the council is digging up the pier that week. We will find another date.',
    },
    {
      by: 'ada',
      daysAgo: 1,
      content:
        'Regatta crews are on the board! Have a look, and tell me by Thursday if something does not work for you.\n\nWe still need one more cox and somebody who can tow a trailer.',
    },
  ],
};
