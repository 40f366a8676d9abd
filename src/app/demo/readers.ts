import { from } from '#app/demo/people.ts';
import type { DemoClub } from '#app/demo/club.ts';

export const readers: DemoClub = {
  club_name: '下町 Reading Circle',
  club_description: 'One book a month, in Japanese or English, with coffee.',
  location_name: 'Kiyosumi, Tokyo',
  time_zone: 'Asia/Tokyo',
  foundedDaysAgo: 150,
  admins: ['misaki'],
  organisers: [],
  members: [...from('kenji', 'emi'), 'ada'],
  offer: { to: 'ada', daysAgo: 3 },
  series: [
    {
      name: '読書会 Reading circle',
      description: 'We talk about this month’s book. Half-read is read.',
      location_name: '清澄コーヒー, 2F',
      weekday: 0,
      everyWeeks: 2,
      time: '15:00',
      minutes: 120,
      attendanceRate: 0.8,
    },
    {
      name: 'Silent reading breakfast',
      description: 'An hour of reading in good company, without a word. Talking allowed from nine.',
      location_name: 'Riverside terrace, Kiyosumi',
      weekday: 6,
      everyWeeks: 2,
      time: '08:00',
      minutes: 90,
      attendanceRate: 0.5,
    },
  ],
  occasions: [
    {
      name: 'Talk with a translator (online)',
      description: 'How a pun crosses an ocean: an evening in Montréal, a morning in Tokyo.',
      location_name: 'Online',
      inDays: 9,
      time: '19:00',
      minutes: 75,
      attendanceRate: 0.8,
      time_zone: 'America/Toronto',
    },
  ],
  updates: [
    {
      by: 'misaki',
      daysAgo: 30,
      content: '来月の本は「雪国」です。English readers: “Snow Country”, any translation you like.',
    },
    {
      by: 'misaki',
      daysAgo: 4,
      content:
        'The terrace has heaters now, so the silent breakfast stays outside whatever the weather. 暖かい服でどうぞ。',
    },
  ],
};
