import type { DocumentEndpoint, Endpoint } from '#wire/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { newSeries } from '#test/new-series.ts';

/**
 * A: anonymous, or with an invalid or expired token · O: logged in, not in the club · M: member · G: organiser ·
 * P: organiser in a club with `organisers_plan` on, tested in a club of its own · D: admin · H: first host of the event and member of the club · E: ejected or left · X: deleted account ·
 * F: has only a leaked feed address · I: has only an expired or replaced invite link
 */
const columns = ['A', 'O', 'M', 'G', 'P', 'D', 'H', 'E', 'X', 'F', 'I'] as const;

/** The column of each person. Some columns are tested with several people. */
export const people = {
  nobody: 'A',
  garbage: 'A',
  expired: 'A',
  outsider: 'O',
  'admin of another club': 'O',
  member: 'M',
  organiser: 'G',
  planner: 'P',
  admin: 'D',
  host: 'H',
  ejected: 'E',
  left: 'E',
  deleted: 'X',
  'feed holder': 'F',
  'dead invite': 'I',
} as const satisfies Record<string, (typeof columns)[number]>;
export type Who = keyof typeof people;

/** The ids and secrets that the requests of the matrix refer to. */
export interface Facts {
  club: string;
  otherClub: string;
  target: string;
  event: string;
  /** A series that the host of the event hosts. */
  series: string;
  /** A section of the club. */
  section: string;
  /** A slot of the event: something to bring. */
  slot: string;
  /** An event whose time members vote on, and two of the proposed times. */
  poll: string;
  time: string;
  otherTime: string;
  live: string;
  dead: string;
  code: string;
  emailCode: string;
  /** The unsubscribe token from an email to the target. */
  unsubscribe: string;
  /** The revert token from the email that tells the target about a change of address. */
  revertEmail: string;
  /** The token of the target's answer link. */
  answerLink: string;
  /** The token of the target's link to confirm that they have read the founder's update. */
  readLink: string;
  email(who: Who): string;
  /** The person's own payment account, and another user's. */
  account(who: Who): string;
  foreignAccount: string;
  refresh(who: Who): string;
  /** The secrets of the club feed and the personal feed that the person has or guesses. */
  clubSecret(who: Who): string;
  personalSecret(who: Who): string;
  /** The person's own session, and another user's. */
  session(who: Who): string;
  foreignSession: string;
  /** The person's own absence, and another user's. */
  absence(who: Who): string;
  foreignAbsence: string;
  /** The person's own notification, and another user's. */
  notice(who: Who): string;
  foreignNotice: string;
  /** An update by the founder, and one by the person, or by the founder if the person is not in the club. */
  update: string;
  ownUpdate(who: Who): string;
  /** A message of the founder about the event, to members who said maybe: nobody in this scenario. */
  message: string;
  /** An open question of the founder about the event. */
  question: string;
  /** An admin who sends none of the requests. */
  founder: string;
  /** Somebody who is not in the club. */
  stranger: string;
  /** A change of the event by the person, or by the admin if the person is not in the club, and one by somebody else. */
  change(who: Who): string;
  foreignChange: string;
  /** A picture that was uploaded for an update of the club. */
  updatePicture: string;
  /** A picture to upload, and the name of an uploaded picture. */
  file: Blob;
  picture: string;
}

export interface Row {
  row: string;
  call: Endpoint | DocumentEndpoint;
  input(facts: Facts, who: Who): Record<string, unknown>;
  /**
   * One status per column. If the people of a column get different statuses, '403/200' has one for each, in the order
   * of `people`.
   */
  cells: string;
}

const {
  users,
  notifications,
  auth,
  members,
  invites,
  events,
  hosts,
  answers,
  checkins,
  polls,
  questions,
  sections,
  series,
  slots,
  updates,
  clubs,
  calendar,
  media,
  search,
  feedback,
  payments,
  absences,
  push,
  account,
} = contracts;
const own = '401 200 200 200 200 200 200 200 401 401 200';
const membersOnly = '401 404 200 200 200 200 200 404 401 401 404';
const adminsOnly = '401 404 403 403 403 200 403 404 401 401 404';
const plannersOnly = '401 404 403 403 200 200 403 404 401 401 404';
const plannersAndHost = '401 404 403 403 200 200 200 404 401 401 404';
/** What members cannot see does not exist for them. */
const unseen = '401 404 404 404 200 200 200 404 401 401 404';
const eventPlannersOnly = '401 403 403 403 200 200 403 403 401 401 403';
const runnersOnly = '401 403 403 403 200 200 200 403 401 401 403';
const eventMembersOnly = '401 403 200 200 200 200 200 403 401 401 403';
/** Admins of any club, not only of this one. */
const payeesOnly = '401 403/200 403 403 403 200 403 403 401 401 403';
const preview = '401 200 200 200 200 200 200 200 401 401 200';

const foreign = '401 404 404 404 404 404 404 404 401 401 404';

/** The founder has offered the host to hand over the club. */
const onlyTheHost = '401 404 409 409 409 409 200 404 401 401 404';

const noInput = () => ({});
const offer = ({ club, founder }: Facts) => ({ club, from: founder });
const club = ({ club }: Facts) => ({ club });
const ofUpdate = ({ club, update }: Facts) => ({ club, update });
const event = ({ event }: Facts) => ({ event });
const invite = ({ live, dead }: Facts, who: Who) => ({ invite: who === 'dead invite' ? dead : live });
const notice = (f: Facts, who: Who) => ({ id: f.notice(who) });
/** A notification of the target, who sends none of the requests. */
const foreignNotice = (f: Facts) => ({ id: f.foreignNotice });
/** Days on which the scenario has no events. */
const farDay = new Date(Date.now() + 400 * 86_400_000).toISOString().slice(0, 10);
const daysAway = { first_on: farDay, last_on: farDay };
/** The keys are those of the example of RFC 8291. */
export const subscription = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/example',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};
const newEvent = {
  name: 'Night walk',
  location_name: 'North gate',
  start_time: '2090-01-01T10:00:00Z',
  end_time: '2090-01-01T12:00:00Z',
};

const ofSeries = ({ series }: Facts) => ({ series });

/** The authorisation matrix: at least one row for every endpoint of the API. */
export const matrix: readonly Row[] = [
  {
    row: '1',
    call: auth.login,
    input: (f, who) => ({ email: f.email(who) }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '2',
    call: auth.confirm,
    input: (f, who) => ({ email: f.email(who), code: f.code }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '3',
    call: auth.refresh,
    input: (f, who) => ({ token: f.refresh(who) }),
    cells: '401/401/200 200 200 200 200 200 200 200 401 401 200',
  },
  {
    row: '1 own',
    call: auth.sendCode,
    input: () => ({ purpose: 'export' }),
    cells: own,
  },
  { row: '4', call: auth.logout, input: noInput, cells: own },
  { row: '4 all', call: auth.logout, input: () => ({ all: true }), cells: own },
  { row: '5', call: users.me, input: noInput, cells: own },
  { row: '6', call: users.update, input: () => ({ first_name: 'Else' }), cells: own },
  {
    row: '6 e-mail',
    call: users.update,
    input: (f, who) => ({ email: `new-${f.email(who)}`, code: f.code }),
    cells: own,
  },
  {
    row: '6 e-mail without code',
    call: users.update,
    input: (f, who) => ({ email: `new-${f.email(who)}` }),
    cells: own.replaceAll('200', '400'),
  },
  { row: '6 confirm', call: users.confirmEmail, input: ({ emailCode }) => ({ code: emailCode }), cells: own },
  {
    row: '6 revert shown',
    call: users.emailChange,
    input: ({ revertEmail }) => ({ token: revertEmail }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '6 revert',
    call: users.revertEmail,
    input: ({ revertEmail }) => ({ token: revertEmail }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '6 revert guess',
    call: users.revertEmail,
    input: ({ revertEmail, target, otherClub }) => ({ token: revertEmail.replace(target, otherClub) }),
    cells: '404 404 404 404 404 404 404 404 404 404 404',
  },
  {
    row: '6 revert guess shown',
    call: users.emailChange,
    input: ({ revertEmail, target, otherClub }) => ({ token: revertEmail.replace(target, otherClub) }),
    cells: '404 404 404 404 404 404 404 404 404 404 404',
  },
  { row: '7', call: events.attending, input: noInput, cells: own },
  { row: '8', call: events.ofMyClubs, input: noInput, cells: own },
  { row: '9', call: account.remove, input: ({ code }) => ({ code }), cells: own },
  { row: '9 asks', call: account.deletion, input: noInput, cells: own },
  { row: '10', call: account.export, input: ({ code }) => ({ code }), cells: own },
  { row: '11', call: calendar.replaceSecret, input: noInput, cells: own },
  { row: '11 email', call: calendar.emailLink, input: noInput, cells: own },
  {
    row: '11 email of a club',
    call: calendar.emailLink,
    input: ({ club }) => ({ club_id: club }),
    cells: membersOnly,
  },
  { row: '11 leaked', call: calendar.replaceSecret, input: () => ({ leaked: true }), cells: own },
  {
    row: '11 club',
    call: calendar.replaceSecret,
    input: ({ club }) => ({ club_id: club }),
    cells: membersOnly,
  },
  { row: '12', call: auth.sessions, input: noInput, cells: own },
  { row: '12 end', call: auth.endSession, input: (f, who) => ({ session: f.session(who) }), cells: own },
  {
    row: '12 foreign',
    call: auth.endSession,
    input: ({ foreignSession }) => ({ session: foreignSession }),
    cells: foreign,
  },
  { row: '83', call: absences.list, input: noInput, cells: own },
  { row: '83 add', call: absences.add, input: () => daysAway, cells: own },
  {
    row: '83 change',
    call: absences.change,
    input: (f, who) => ({ away: f.absence(who), ...daysAway }),
    cells: own,
  },
  {
    row: '83 change of a foreign one',
    call: absences.change,
    input: ({ foreignAbsence }) => ({ away: foreignAbsence, ...daysAway }),
    cells: foreign,
  },
  {
    row: '83 delete',
    call: absences.remove,
    input: (f, who) => ({ away: f.absence(who) }),
    cells: own,
  },
  {
    row: '83 delete a foreign one',
    call: absences.remove,
    input: ({ foreignAbsence }) => ({ away: foreignAbsence }),
    cells: foreign,
  },
  { row: '84', call: push.device, input: noInput, cells: own },
  { row: '84 save', call: push.saveDevice, input: () => subscription, cells: own },
  { row: '84 remove', call: push.removeDevice, input: noInput, cells: own },
  // Nobody has a device.
  { row: '84 test', call: push.testDevice, input: noInput, cells: own.replaceAll('200', '409') },
  { row: '13', call: clubs.create, input: () => ({ club_name: 'Chess' }), cells: own },
  { row: '14', call: clubs.get, input: club, cells: membersOnly },
  { row: '15', call: clubs.getForAdmin, input: club, cells: adminsOnly },
  { row: '15 members', call: members.forAdmin, input: club, cells: adminsOnly },
  { row: '15 file', call: members.export, input: club, cells: adminsOnly },
  {
    row: '15 search',
    call: members.forAdmin,
    input: ({ club }) => ({ club, q: 'example.org' }),
    cells: adminsOnly,
  },
  { row: '14 members', call: members.ofClub, input: club, cells: membersOnly },
  {
    row: '14 members search',
    call: members.ofClub,
    input: ({ club }) => ({ club, q: 'example.org' }),
    cells: membersOnly,
  },
  { row: '14 events', call: events.ofClub, input: club, cells: membersOnly },
  {
    row: '14 events of a period',
    call: events.ofClub,
    input: ({ club }) => ({ club, from: '2000-01-01T00:00:00Z', whose: 'mine' }),
    cells: membersOnly,
  },
  { row: '16', call: clubs.update, input: ({ club }) => ({ club, club_name: 'Renamed' }), cells: adminsOnly },
  {
    row: '16 first steps',
    call: clubs.setFirstSteps,
    input: ({ club }) => ({ club, first_steps: null }),
    cells: adminsOnly,
  },
  { row: '17', call: clubs.remove, input: club, cells: adminsOnly },
  { row: '18', call: members.leave, input: club, cells: membersOnly },
  {
    row: '19',
    call: members.eject,
    input: ({ club, target }) => ({ club, member: target }),
    cells: adminsOnly,
  },
  {
    row: '20',
    call: members.changeRole,
    input: ({ club, target }) => ({ club, member: target, role: 100 }),
    cells: adminsOnly,
  },
  { row: '21', call: invites.create, input: ({ club }) => ({ club_id: club }), cells: adminsOnly },
  { row: '22', call: invites.ofClub, input: club, cells: adminsOnly },
  { row: '23', call: invites.get, input: invite, cells: '200 200 200 200 200 200 200 200 200 200 404' },
  { row: '24', call: invites.join, input: invite, cells: '401 200 200 200 200 200 200 403/200 401 401 404' },
  { row: '25', call: invites.remove, input: ({ live }) => ({ invite: live }), cells: adminsOnly },
  { row: '26', call: events.create, input: ({ club }) => ({ club, ...newEvent }), cells: plannersOnly },
  { row: '27', call: events.get, input: event, cells: preview },
  { row: '27 people', call: answers.people, input: event, cells: eventMembersOnly },
  { row: '27 calendar', call: calendar.oneEvent, input: event, cells: preview },
  { row: '28', call: answers.attend, input: event, cells: eventMembersOnly },
  {
    row: '61',
    call: answers.answer,
    input: ({ event }) => ({ event, answer: 'going' }),
    cells: eventMembersOnly,
  },
  {
    row: '61 undo',
    call: answers.undoAnswer,
    input: ({ event }) => ({ event, undo: 'no-token' }),
    cells: eventMembersOnly.replaceAll('200', '404'),
  },
  { row: '62', call: answers.list, input: event, cells: runnersOnly },
  { row: '62 file', call: answers.export, input: event, cells: runnersOnly },
  {
    row: '63',
    call: answers.answerFor,
    input: ({ event, target }) => ({ event, user: target, answer: 'maybe' }),
    cells: runnersOnly,
  },
  {
    row: '60',
    call: hosts.handOver,
    input: ({ event, founder }) => ({ event, user_id: founder }),
    cells: runnersOnly,
  },
  {
    row: '60 member',
    call: hosts.handOver,
    input: ({ event, target }) => ({ event, user_id: target }),
    cells: runnersOnly,
  },
  {
    row: '60 add',
    call: hosts.add,
    input: ({ event, target }) => ({ event, user: target }),
    cells: runnersOnly,
  },
  {
    row: '60 add outsider',
    call: hosts.add,
    input: ({ event, stranger }) => ({ event, user: stranger }),
    cells: runnersOnly.replaceAll('200', '404'),
  },
  {
    row: '60 remove',
    call: hosts.remove,
    input: ({ event, target }) => ({ event, user: target }),
    cells: runnersOnly,
  },
  {
    row: '64',
    call: answers.nudge,
    input: ({ event }) => ({ event, to: 'silent' }),
    cells: runnersOnly,
  },
  {
    row: '65',
    call: checkins.save,
    input: ({ event, target }) => ({ event, users: [{ user_id: target, came: true }] }),
    // The event has not begun.
    cells: runnersOnly.replaceAll('200', '409'),
  },
  { row: '65 list', call: checkins.list, input: event, cells: runnersOnly },
  {
    row: '78',
    call: slots.create,
    input: ({ event }) => ({ event, kind: 'bring', title: 'Salad', places: 2 }),
    cells: runnersOnly,
  },
  {
    row: '78 lift',
    call: slots.create,
    input: ({ event }) => ({ event, kind: 'lift', title: 'From the station', places: 3 }),
    cells: eventMembersOnly,
  },
  { row: '78 list', call: slots.list, input: event, cells: eventMembersOnly },
  { row: '78 claim', call: slots.claim, input: ({ slot }) => ({ slot }), cells: eventMembersOnly },
  {
    row: '78 release',
    call: slots.claim,
    input: ({ slot }) => ({ slot, places: 0 }),
    cells: eventMembersOnly,
  },
  { row: '78 remove', call: slots.remove, input: ({ slot }) => ({ slot }), cells: runnersOnly },
  { row: '66', call: checkins.attendance, input: club, cells: membersOnly },
  {
    row: '67',
    call: answers.ofLink,
    input: ({ answerLink }) => ({ token: answerLink }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '67 answer',
    call: answers.answerByLink,
    input: ({ answerLink }) => ({ token: answerLink, answer: 'maybe' }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '67 guess',
    call: answers.answerByLink,
    input: ({ answerLink }) => ({ token: `${answerLink.slice(0, -2)}AA`, answer: 'maybe' }),
    cells: '404 404 404 404 404 404 404 404 404 404 404',
  },
  {
    row: '67 guess shown',
    call: answers.ofLink,
    input: ({ answerLink }) => ({ token: `${answerLink.slice(0, -2)}AA` }),
    cells: '404 404 404 404 404 404 404 404 404 404 404',
  },
  { row: '68', call: answers.replaceLinks, input: noInput, cells: own },
  { row: '29', call: answers.unattend, input: event, cells: '401 403 200 200 200 200 400 403 401 401 403' },
  {
    row: '30',
    call: answers.favourite,
    input: ({ event }) => ({ event, favourite: true }),
    cells: eventMembersOnly,
  },
  { row: '31', call: answers.subscribe, input: event, cells: eventMembersOnly },
  { row: '32', call: answers.unsubscribe, input: event, cells: own },
  { row: '33', call: search.find, input: () => ({ q: 'canary' }), cells: own },
  {
    row: '33 in a club',
    call: search.find,
    input: ({ club }) => ({ q: 'canary', club }),
    cells: membersOnly,
  },
  { row: '34', call: events.cancel, input: event, cells: '401 403 403 403 403 403 200 403 401 401 403' },
  {
    row: '35',
    call: events.edit,
    input: ({ club, event }) => ({ event, club, name: 'Renamed' }),
    cells: eventPlannersOnly,
  },
  {
    row: '59',
    call: events.undo,
    input: (f, who) => ({ event: f.event, change: f.change(who) }),
    cells: eventPlannersOnly,
  },
  {
    row: '59 foreign',
    call: events.undo,
    input: ({ event, foreignChange }) => ({ event, change: foreignChange }),
    cells: eventPlannersOnly.replaceAll('200', '403'),
  },
  { row: '69', call: series.plan, input: ({ club }) => ({ club, ...newSeries }), cells: plannersOnly },
  { row: '70', call: series.get, input: ofSeries, cells: membersOnly },
  { row: '71', call: series.edit, input: (f) => ({ ...ofSeries(f), name: 'Run' }), cells: plannersOnly },
  {
    row: '71 fewer dates',
    call: series.edit,
    input: (f) => ({ ...ofSeries(f), count: 1 }),
    cells: plannersOnly.replaceAll('200', '403'),
  },
  { row: '72', call: series.end, input: ofSeries, cells: '401 404 403 403 403 403 200 404 401 401 404' },
  {
    row: '73',
    call: series.standing,
    input: (f) => ({ ...ofSeries(f), answer: 'going' }),
    cells: eventMembersOnly,
  },
  {
    row: '73 none',
    call: series.standing,
    input: (f) => ({ ...ofSeries(f), answer: null }),
    cells: eventMembersOnly,
  },
  { row: '74', call: series.breaks, input: club, cells: membersOnly },
  { row: '74 save', call: series.saveBreaks, input: ({ club }) => ({ club, breaks: [] }), cells: adminsOnly },
  {
    row: '75',
    call: polls.vote,
    input: ({ poll, time, otherTime }) => ({
      event: poll,
      votes: [
        { time, vote: 'yes' },
        { time: otherTime, vote: 'no' },
      ],
    }),
    cells: eventMembersOnly,
  },
  {
    row: '75 voters',
    call: polls.voters,
    input: ({ poll, time }) => ({ event: poll, time }),
    cells: eventMembersOnly,
  },
  {
    row: '76',
    call: polls.decide,
    input: ({ poll, time }) => ({ event: poll, time }),
    cells: eventPlannersOnly,
  },
  { row: '79', call: members.log, input: club, cells: adminsOnly },
  {
    row: '80',
    call: members.offerHandover,
    input: ({ club, target }) => ({ club, user_id: target, afterwards: 'leave' }),
    cells: adminsOnly,
  },
  { row: '80 withdrawal', call: members.withdrawHandover, input: club, cells: adminsOnly },
  { row: '80 acceptance', call: members.acceptHandover, input: offer, cells: onlyTheHost },
  { row: '80 decline', call: members.declineHandover, input: offer, cells: onlyTheHost },
  { row: '81', call: members.contact, input: club, cells: membersOnly },
  {
    row: '81 choice',
    call: members.setContact,
    input: ({ club }) => ({ club, phone_for: 'members' }),
    cells: membersOnly,
  },
  { row: '84', call: members.mute, input: ({ club }) => ({ club, muted: true }), cells: membersOnly },
  // The target lets hosts see the phone, and is going to the event.
  {
    row: '81 phone',
    call: members.phone,
    input: ({ club, target }) => ({ club, user: target }),
    cells: '401 404 404 404 404 200 200 404 401 401 404',
  },
  { row: '82', call: sections.ofClub, input: club, cells: membersOnly },
  {
    row: '82 save',
    call: sections.save,
    input: ({ club }) => ({ club, sections: [{ name: 'Tenor' }] }),
    cells: adminsOnly,
  },
  {
    row: '82 members',
    call: sections.changeMembers,
    input: ({ club, section, target }) => ({ club, section, add: [target] }),
    cells: adminsOnly,
  },
  { row: '36', call: events.cards, input: club, cells: membersOnly },
  { row: '37', call: payments.open, input: (f, who) => ({ email: f.email(who) }), cells: payeesOnly },
  {
    row: '37 another e-mail',
    call: payments.open,
    input: (f, who) => ({ email: `not-${f.email(who)}` }),
    cells: payeesOnly.replaceAll('200', '400'),
  },
  { row: '38', call: payments.link, input: (f, who) => ({ account: f.account(who) }), cells: payeesOnly },
  {
    row: '38 foreign',
    call: payments.link,
    input: ({ foreignAccount }) => ({ account: foreignAccount }),
    cells: payeesOnly.replaceAll('200', '404'),
  },
  { row: '39', call: payments.authorise, input: noInput, cells: payeesOnly },
  { row: '42', call: feedback.send, input: () => ({ feedback: 'Well done' }), cells: own },
  {
    row: '43',
    call: updates.publish,
    input: ({ club }) => ({ club, content: 'The boats are back' }),
    cells: plannersOnly.replaceAll('200', '201'),
  },
  {
    row: '43 edit',
    call: updates.edit,
    input: (f) => ({ ...ofUpdate(f), content: 'Later' }),
    cells: plannersOnly,
  },
  { row: '43 removal', call: updates.remove, input: ofUpdate, cells: plannersOnly },
  {
    row: '43 own',
    call: updates.edit,
    input: (f, who) => ({ club: f.club, update: f.ownUpdate(who), content: 'Later' }),
    cells: membersOnly,
  },
  // In this scenario, every member is the author of an update, and may therefore add pictures.
  {
    row: '43 picture',
    call: media.addToUpdate,
    input: ({ club, file }) => ({ club, file }),
    cells: membersOnly,
  },
  {
    row: '83',
    call: updates.sendMessage,
    input: ({ event }) => ({ event, content: 'Bring a coat', to: ['going'] }),
    cells: runnersOnly.replaceAll('200', '201'),
  },
  {
    row: '83 to members without an answer',
    call: updates.sendMessage,
    input: ({ poll }) => ({ event: poll, content: 'Which time suits you?', to: ['silent'] }),
    cells: eventPlannersOnly.replaceAll('200', '201'),
  },
  {
    row: '83 edit',
    call: updates.edit,
    input: ({ club, message }) => ({ club, update: message, content: 'Later' }),
    cells: plannersAndHost,
  },
  {
    row: '83 removal',
    call: updates.remove,
    input: ({ club, message }) => ({ club, update: message }),
    cells: plannersAndHost,
  },
  {
    row: '84',
    call: questions.ask,
    input: ({ event }) => ({ event, question: 'Where do we meet?' }),
    cells: eventMembersOnly.replaceAll('200', '201'),
  },
  {
    row: '84 answer',
    call: questions.answer,
    input: ({ question }) => ({ question, answer: 'Here', shared: false }),
    cells: unseen,
  },
  { row: '84 removal', call: questions.remove, input: ({ question }) => ({ question }), cells: unseen },
  { row: '44', call: updates.ofClub, input: club, cells: membersOnly },
  { row: '85', call: updates.read, input: ofUpdate, cells: membersOnly },
  { row: '85 readers', call: updates.readers, input: ofUpdate, cells: plannersOnly },
  { row: '85 reminder', call: updates.remind, input: ofUpdate, cells: plannersOnly },
  {
    row: '85 link',
    call: updates.ofLink,
    input: ({ readLink }) => ({ token: readLink }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '85 read by link',
    call: updates.readByLink,
    input: ({ readLink }) => ({ token: readLink }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '85 guess',
    call: updates.readByLink,
    input: ({ readLink }) => ({ token: `${readLink.slice(0, -2)}AA` }),
    cells: '404 404 404 404 404 404 404 404 404 404 404',
  },
  {
    row: '85 guess shown',
    call: updates.ofLink,
    input: ({ readLink }) => ({ token: `${readLink.slice(0, -2)}AA` }),
    cells: '404 404 404 404 404 404 404 404 404 404 404',
  },
  { row: '45', call: notifications.list, input: noInput, cells: own },
  { row: '46 seen', call: notifications.seen, input: notice, cells: own },
  { row: '46 actioned', call: notifications.actioned, input: notice, cells: own },
  { row: '46 foreign', call: notifications.seen, input: foreignNotice, cells: foreign },
  { row: '46 foreign actioned', call: notifications.actioned, input: foreignNotice, cells: foreign },
  { row: '47', call: notifications.remove, input: notice, cells: own },
  { row: '47 foreign', call: notifications.remove, input: foreignNotice, cells: foreign },
  { row: '48', call: notifications.clear, input: noInput, cells: own },
  { row: '49', call: notifications.settings, input: noInput, cells: own },
  { row: '49 save', call: notifications.saveSettings, input: () => ({ new_event: false }), cells: own },
  {
    row: '49 unknown',
    call: notifications.saveSettings,
    input: () => ({ new_events: false }),
    cells: own.replaceAll('200', '400'),
  },
  {
    row: '49 no boolean',
    call: notifications.saveSettings,
    input: () => ({ push_new_event: 'on' as never }),
    cells: own.replaceAll('200', '400'),
  },
  {
    row: '49 unsubscribe',
    call: notifications.unsubscribe,
    input: ({ unsubscribe }) => ({ token: unsubscribe }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
  {
    row: '49 guess',
    call: notifications.unsubscribe,
    input: ({ unsubscribe, target, otherClub }) => ({ token: unsubscribe.replace(target, otherClub) }),
    cells: '404 404 404 404 404 404 404 404 404 404 404',
  },
  {
    row: '52',
    call: calendar.clubFeed,
    input: (f, who) => ({ club: f.club, secret: f.clubSecret(who) }),
    // After a member leaves, their feed serves bare cancellations for 30 days.
    cells: '404 404 200 200 200 200 200 404/200 404 200 404',
  },
  {
    row: '53',
    call: calendar.personalFeed,
    input: (f, who) => ({ secret: f.personalSecret(who) }),
    cells: '404 200 200 200 200 200 200 200 404 200 200',
  },
  { row: '77', call: calendar.fetches, input: noInput, cells: own },
  {
    row: '77 choice',
    call: calendar.choose,
    // `confirmed` is required, because earlier rows have fetched the feeds.
    input: () => ({ invites_by_mail: true, confirmed: true }),
    cells: own,
  },
  { row: '54', call: media.setOwn, input: ({ file }) => ({ file }), cells: own },
  { row: '54 removal', call: media.removeOwn, input: noInput, cells: own },
  { row: '55', call: media.setAvatar, input: ({ club, file }) => ({ club, file }), cells: adminsOnly },
  { row: '55 removal', call: media.removeAvatar, input: club, cells: adminsOnly },
  { row: '55 banner', call: media.setBanner, input: ({ club, file }) => ({ club, file }), cells: adminsOnly },
  { row: '55 banner removal', call: media.removeBanner, input: club, cells: adminsOnly },
  {
    row: '56',
    call: media.file,
    input: ({ picture }) => ({ name: picture }),
    cells: '200 200 200 200 200 200 200 200 200 200 200',
  },
];

/** The rows that return 404 to outsiders when event previews are off. */
export const withoutPreview = [
  '27',
  '27 calendar',
  '28',
  '29',
  '30',
  '31',
  '34',
  '35',
  '59',
  '59 foreign',
  '60',
  '60 no admin',
  '62',
  '63',
  '64',
];

/** The websocket: row 50, proved by the websocket tests. */
export const livePath = '/api/v1/ws/notifications';
export const live: Pick<Row, 'row' | 'cells'> = { row: '50', cells: own };

/** Routes without a contract, which reveal no user's data: row 57, and the files and pictures of the web app. */
export const bareRoutes = [
  'GET /healthz',
  'HEAD /healthz',
  'GET /readyz',
  'HEAD /readyz',
  // Only for requests signed with the key of the installation, as its own test proves.
  'GET /proxy-check',
  'GET /api/openapi.json',
  // Calls the API with the caller's rights, as its own test proves.
  'GET /api/screen',
  'GET /',
  'HEAD /',
  // Redirects to the page with the button.
  'GET /api/v1/notification-settings/unsubscribe/:token',
  'HEAD /api/v1/notification-settings/unsubscribe/:token',
  'GET /answer/:token',
  'HEAD /answer/:token',
  // Calls the API without a session; the token in the path grants the permission.
  'POST /answer/:token',
  'GET /read/:token',
  'HEAD /read/:token',
  'POST /read/:token',
  'GET /answer/offline',
  'HEAD /answer/offline',
  'GET /.well-known/change-password',
  'HEAD /.well-known/change-password',
  'GET /robots.txt',
  'HEAD /robots.txt',
  'GET /favicon.ico',
  'HEAD /favicon.ico',
  'GET /licenses.txt',
  'HEAD /licenses.txt',
  'GET /login',
  'HEAD /login',
  'GET /app',
  'HEAD /app',
  'GET /app/*',
  'HEAD /app/*',
  'GET /privacy-policy',
  'HEAD /privacy-policy',
  'GET /thankyou',
  'HEAD /thankyou',
  'GET /confirm',
  'HEAD /confirm',
  'GET /revert-email',
  'HEAD /revert-email',
  'GET /unsubscribe',
  'HEAD /unsubscribe',
  'GET /sw.js',
  'HEAD /sw.js',
  'GET /icon.svg',
  'HEAD /icon.svg',
  'GET /assets/*',
  'HEAD /assets/*',
  'GET /icons/*',
  'HEAD /icons/*',
  'GET /manifest.webmanifest',
  'HEAD /manifest.webmanifest',
  'GET /previews/events/:slug.png',
  'GET /previews/invites/:token.png',
  `GET ${livePath}`,
  // Rows 40 and 41, proved by the payment tests.
  'GET /oauth/callback',
  'POST /api/v1/payments/webhook',
];

/** The status that the matrix lists for a person. */
export function promised({ cells }: Pick<Row, 'cells'>, who: Who): number {
  const column = people[who];
  const statuses = (cells.split(' ')[columns.indexOf(column)] as string).split('/');
  const inColumn = Object.keys(people).filter((other) => people[other as Who] === column);
  return Number(statuses[inColumn.indexOf(who)] ?? statuses[0]);
}
