import type { account } from '#e2e/people.ts';
import type { Club } from '#features/clubs/contract.ts';
import { instant } from '#wire/instant.ts';
import { longAddress } from './steps.ts';

type Account = Awaited<ReturnType<typeof account>>;
type Api = Account['api'];
type Apis = Record<Viewer, Api>;

/** The viewers and their email addresses. `long` has the longest possible texts, and `longer` is in the same club. */
export const viewers = {
  ada: 'ada@example.org',
  noor: 'noor@example.org',
  kofi: 'kofi@example.org',
  misaki: 'misaki@example.org',
  emi: 'emi@example.org',
  jonas: 'jonas@example.org',
  lena: 'lena@example.org',
  jule: 'jule@example.org',
  nameless: 'nameless@example.org',
  newcomer: 'newcomer@example.org',
  long: 'maximiliane.wolfeschlegelsteinhausenbergerdorff@bibliothek.example.org',
  longer: 'bartholomew-featherstonehaugh-cholmondeley@example.org',
} as const;
export type Viewer = keyof typeof viewers;
export type Accounts = Record<Viewer, Account>;

/**
 * The values of the words in braces: slugs of clubs and events, and invites. Finds them in the demo data or creates
 * them.
 */
export async function findPlaces(accounts: Accounts): Promise<Record<string, string>> {
  const apis = Object.entries(accounts).map(([viewer, { api }]) => [viewer, api]);
  const api = Object.fromEntries(apis) as Apis;
  const [rowers, games] = [await clubOf(api.ada, /Rowers/), await clubOf(api.jonas, /Games/)];
  const choir = await clubOf(api.lena, /chor/);
  const [soprano] = await api.lena.sections.ofClub({ club: choir.id });
  const readers = await clubOf(api.misaki, /Reading/);
  const empty = await api.nameless.clubs.create({ club_name: 'Pier Street Choir' });
  const emptyClub = await createClub(api, 'Tuesday Chess');
  const { invite_link } = await api.ada.invites.ofClub({ club: rowers.id });
  const now = new Date().toISOString();

  const ofKofi = (await api.kofi.clubs.get({ club: rowers.id })).events;
  const ofAda = (await api.ada.clubs.get({ club: rowers.id })).events;
  const isOpen = (event: (typeof ofAda)[number]) =>
    !event.deleted_at && !event.polling && event.entry_until_time > now;
  const open = ofKofi.filter((event) => isOpen(event) && event.my_role === null && event.seats_left !== 0);
  const marked = open.at(-1);
  if (marked) {
    await api.kofi.answers.favourite({ event: marked.slug, favourite: true });
    await api.kofi.answers.subscribe({ event: marked.slug });
  }
  const ofHost = ofAda.filter((event) => isOpen(event) && event.my_role === 'organiser');
  const attended = slugOf(ofKofi.find((event) => isOpen(event) && event.my_role === 'attendee'));
  // Another event, because Kofi says maybe to this one.
  const hosted = slugOf(ofHost.find(({ seats_left, slug }) => seats_left === null && slug !== attended));
  await answerEveryWay(api, hosted, rowers);
  return {
    rowers: rowers.slug,
    games: games.slug,
    readers: readers.slug,
    choir: choir.slug,
    section: soprano?.id ?? '',
    empty: empty.slug,
    emptyClub: emptyClub.slug,
    invite: invite_link,
    attended,
    open: slugOf(open[0]),
    marked: slugOf(marked),
    hosted,
    conflicting: slugOf(
      ofAda.find((event) => !event.deleted_at && event.end_time > now && event.conflicting_events.length > 0),
    ),
    cancelled: slugOf(ofKofi.find((event) => event.deleted_at && event.end_time > now)),
    over: slugOf(ofKofi.find((event) => event.end_time < now && event.user_count > 5)),
    elsewhere: slugOf(readers.events.find((event) => event.time_zone === 'America/Toronto')),
    longAddress,
    forSections: slugOf(choir.events.find(({ section_names }) => section_names.length > 0)),
    late: slugOf(ofAda.find(({ name }) => name === 'Stretch and tea')),
    poll: slugOf(ofAda.find((event) => event.polling)),
    newPoll: await createPoll(api.noor, emptyClub.id),
    withGuests: await createWithGuests(api, rowers.id, invite_link),
    soon: await createSoon(api, rowers),
    full: await createFull(api, rowers.id),
    ...(await createSeries(api)),
    ...(await createAbsence(api, emptyClub.id)),
    ...(await createLongTexts(api)),
  };
}

/** Creates a club of Noor's, with Emi as a member. */
async function createClub({ noor, emi }: Apis, club_name: string) {
  const club = await noor.clubs.create({ club_name });
  await emi.invites.join({ invite: (await noor.invites.create({ club_id: club.id })).invite_link });
  return club;
}

type Input = Parameters<Api['events']['create']>[0];
type EventInput = Omit<Input, 'location_name'> & Partial<Input>;

/** Creates an event that starts `from` days from now and ends `to` days from now. */
async function createEvent(api: Api, [from, to]: [number, number], input: EventInput): Promise<string> {
  const times = { start_time: inDays(from), end_time: inDays(to) };
  return (await api.events.create({ location_name: 'Pier 3', ...times, ...input })).slug;
}

async function createPoll(api: Api, club: string): Promise<string> {
  const times = [20, 22].map((day) => ({
    start_time: instant(Date.UTC(2099, 10, day, 18, 30)),
    end_time: instant(Date.UTC(2099, 10, day, 21)),
  }));
  const place = 'The old customs house, first floor';
  return (await api.events.create({ club, name: 'Blitz tournament', location_name: place, times })).slug;
}

/** The date in this number of days. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Creates two series of Noor's: a weekly one with a break, which Emi always attends, and one that has ended. */
async function createSeries(api: Apis) {
  const { noor, emi } = api;
  const { id: club } = await createClub(api, 'Harbour Chess');
  const times = { freq: 'weekly', starts_on: day(2), local_time: '19:00', minutes: 120 } as const;
  const weekdays = [new Date(day(2)).getUTCDay() || 7];
  const weekly = { club, location_name: 'Library, first floor', weekdays, ...times };
  const breaks = [{ first_on: day(20), last_on: day(33), name: 'School holidays' }];
  await noor.series.saveBreaks({ club, breaks });
  const series = await noor.series.plan({ ...weekly, name: 'Club evening', guests_max: 2 });
  const ended = await noor.series.plan({ ...weekly, name: 'Beginners' });
  await noor.series.end({ series: ended.slug, from: day(10) });
  await emi.series.standing({ series: series.slug, answer: 'going', guests: 1 });
  const [date] = (await emi.series.get({ series: series.slug })).events;
  return { seriesClub: club, series: series.slug, seriesEnded: ended.slug, seriesDate: date?.slug ?? '' };
}

/** Creates an absence of Emi, and an event in that time. */
async function createAbsence({ noor, emi }: Apis, club: string) {
  const awayDay = day(44);
  await emi.absences.add({ first_on: awayDay, last_on: day(53) });
  await emi.absences.add({ first_on: day(-9), last_on: day(-6) });
  return { awayDay, awayEvent: await createEvent(noor, [46, 46.1], { club, name: 'Simultaneous display' }) };
}

/** Gives an event answers with guests and notes, messages and questions. Ada answers for some members. */
async function answerEveryWay({ ada, kofi, noor }: Apis, event: string, { id, members }: Club) {
  await ada.events.edit({ event, club: id, guests_max: 3 });
  const note = 'Back from Leeds at six, if the train is on time.';
  await kofi.answers.answer({ event, answer: 'maybe', note });
  const others = members.filter(({ club_role }) => club_role < 200).slice(-6);
  for (const [nth, { id: user }] of others.entries()) {
    const note = ['Has exams until Friday', '', 'Brings the cox box and two spare blades'][nth % 3];
    const answer = nth % 3 ? 'going' : 'no';
    await ada.answers.answerFor({ event, user, answer, guests: nth % 3, note });
  }
  const content = 'The slip is closed for repairs. We meet at the north gate and carry the boats around.';
  await ada.updates.sendMessage({ event, content, to: ['going', 'maybe'] });
  await ada.updates.sendMessage({ event, content: 'Are you in?', to: ['silent'] });
  const { id: question } = await kofi.questions.ask({ event, question: 'Can I leave my bike inside?' });
  await ada.questions.answer({ question, answer: 'Yes, behind the ergometers.', shared: true });
  await noor.questions.ask({ event, question: 'Is there room for a beginner?' });
}

const slugOf = (event: { slug: string } | undefined) => event?.slug ?? 'missing';

async function clubOf(api: Api, name: RegExp) {
  const club = (await api.users.me({})).clubs.find((each) => name.test(each.club_name));
  return api.clubs.get({ club: club?.id ?? 'missing' });
}

/** Creates an event with every kind of answer. */
async function createWithGuests({ ada, kofi, noor, misaki }: Apis, club: string, invite: string) {
  await misaki.invites.join({ invite });
  const event = await createEvent(ada, [3, 3.1], { club, name: 'Harbour picnic', guests_max: 3 });
  await kofi.answers.answer({ event, answer: 'going', guests: 2, note: 'I bring two cakes.' });
  await noor.answers.answer({ event, answer: 'maybe' });
  await misaki.answers.answer({ event, answer: 'no' });
  return event;
}

/** Creates an event that begins in an hour, so that check-in is open. */
async function createSoon({ ada, kofi }: Apis, { id: club, members }: Club) {
  const event = await createEvent(ada, [1 / 24, 0.1], { club, name: 'Evening row', guests_max: 3 });
  await kofi.answers.answer({ event, answer: 'going', guests: 1 });
  for (const { id: user } of members.filter(({ club_role }) => club_role < 200).slice(0, 6))
    await ada.answers.answerFor({ event, user, answer: 'going' });
  await kofi.slots.create({ event, kind: 'lift', title: 'From the station, 6:15 pm', places: 3 });
  const { slots } = await ada.slots.create({ event, kind: 'bring', title: 'Cox boxes', places: 2 });
  for (const { id: slot } of slots) await ada.slots.claim({ slot });
  return event;
}

/** Creates an event with four seats, of which Ada, Kofi and his guest have three. Noor's party of three waits. */
async function createFull({ ada, kofi, noor }: Apis, club: string) {
  const words = { name: 'Lock tour', location_name: 'Lock 7', guests_max: 3, capacity: 4 };
  const event = await createEvent(ada, [2, 2.1], { club, ...words });
  await kofi.answers.answer({ event, answer: 'going', guests: 1 });
  await noor.answers.answer({ event, answer: 'going', guests: 2 });
  return event;
}

const compound = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const sentence =
  'We meet where the old ferry used to land, warm up together, and come back before the tide turns. ';
const address =
  'The old lifeboat station behind the harbour master’s office, second gate on the left, up the iron stairs and through the blue door';

const inDays = (days: number) => instant(Date.now() + days * 86_400_000);

/** Creates a club in which every text has its maximum length. */
async function createLongTexts({ long, longer }: Apis) {
  await long.users.update({
    user_name: 'Maximiliane-Wolfeschlegelsteinhausenbergerdorff',
    first_name: 'Maximiliane Henriette Charlotte Amalie Friederike',
    last_name: 'Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh',
  });
  await longer.users.update({
    first_name: 'Bartholomew Percival Montgomery Alexander Reginald',
    last_name: 'Featherstonehaugh-Cholmondeley-Marjoribanks',
  });
  const club = await long.clubs.create({ club_name: compound });
  await long.clubs.update({
    club: club.id,
    club_description: sentence.repeat(12),
    location_name: address,
    meta: { website: `${compound.toLowerCase().replaceAll('ä', 'ae')}.example.org/${'about-us/'.repeat(6)}` },
  });
  const { invite_link: longInvite } = await long.invites.create({ club_id: club.id });
  await longer.invites.join({ invite: longInvite });
  for (const content of [sentence.repeat(20), `${compound.repeat(4)}\n\n${sentence}`])
    await long.updates.publish({ club: club.id, content });

  const details = `${sentence.repeat(8)}\n\n${compound.repeat(3)}\n\n${sentence.repeat(8)}`;
  const words = { club: club.id, description: sentence.repeat(6), details, location_name: address };
  const create = (name: string) => createEvent(long, [4, 9], { ...words, name });
  const longEvent = await create(
    'The great autumn regatta of all harbours, with a dinner, a dance and a very long name that no card can hold on a line',
  );
  const longOther = await create(compound);
  await longer.answers.answer({ event: longEvent, answer: 'going', note: `${sentence} ${compound}` });
  await long.events.cancel({ event: await create(`${compound} is cancelled`) });
  return { long: club.slug, longInvite, longEvent, longOther };
}
