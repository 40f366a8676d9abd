import { z } from 'zod';
import { Day } from '#wire/day.ts';
import { Instant } from '#wire/instant.ts';
import { Cursor, Email, Ref } from '#wire/text.ts';
import { TimeZone } from '#wire/time-zone.ts';
import * as account from '#features/account/contract.ts';
import * as absences from '#features/events/absences/contract.ts';
import * as answers from '#features/events/answers/contract.ts';
import * as auth from '#features/auth/contract.ts';
import * as calendar from '#features/calendar/contract.ts';
import * as checkins from '#features/events/checkins/contract.ts';
import * as clubs from '#features/clubs/contract.ts';
import * as events from '#features/events/contract.ts';
import * as invites from '#features/invites/contract.ts';
import * as members from '#features/members/contract.ts';
import * as handovers from '#features/members/handover-contract.ts';
import * as log from '#features/members/log-contract.ts';
import * as notifications from '#features/notifications/contract.ts';
import * as payments from '#features/payments/contract.ts';
import * as push from '#features/push/contract.ts';
import * as choices from '#features/events/choice-contract.ts';
import * as questions from '#features/events/question-contract.ts';
import * as people from '#features/events/people-contract.ts';
import * as search from '#features/search/contract.ts';
import * as sections from '#features/sections/contract.ts';
import * as series from '#features/events/series/contract.ts';
import * as slots from '#features/events/slots/contract.ts';
import * as times from '#features/events/time-contract.ts';
import * as updates from '#features/updates/contract.ts';
import * as users from '#features/users/contract.ts';

interface Metadata {
  /** The name under which the document contains the schema. A schema without a name is repeated at each use. */
  id?: string;
  description?: string;
  examples?: unknown[];
}

/** Schemas that are the same in requests and responses. */
const values: Record<string, z.ZodType> = {
  Afterwards: handovers.Afterwards,
  Answer: choices.Answer,
  AnswerList: answers.AnswerList,
  AttendeeRole: people.AttendeeRole,
  CalendarApp: calendar.CalendarApp,
  CalendarChange: times.CalendarChange,
  Choice: choices.Choice,
  ClubRole: users.ClubRole,
  ClubSetting: log.ClubSetting,
  Frequency: times.Frequency,
  LinkChoice: choices.LinkChoice,
  LogKind: log.LogKind,
  Phase: events.Phase,
  Reason: events.Reason,
  SlotKind: slots.SlotKind,
  Vote: times.Vote,
};

const { moved_from, series: seriesOfCard, conflicting_events } = events.EventCard.shape;

/** Objects of responses. */
const objects: Record<string, z.ZodType> = {
  Absence: absences.Absence,
  AnswerState: answers.AnswerState,
  Attendance: checkins.Attendance,
  Attendee: people.Attendee,
  Face: people.Face,
  AuthData: auth.AuthData,
  Break: series.Break,
  ChangedFields: events.ChangedFields,
  CheckIn: checkins.CheckIn,
  Club: clubs.Club,
  ClubForAdmin: clubs.ClubForAdmin,
  ClubName: clubs.ClubName,
  ClubOfUser: users.ClubOfUser,
  CodeStatus: auth.CodeStatus,
  ConflictingEvent: conflicting_events.element,
  Deletion: account.Deletion,
  EmailChange: users.EmailChange,
  Event: events.Event,
  EventCard: events.EventCard,
  EventChange: events.EventChange,
  EventName: account.EventName,
  EventOrSeries: events.events.create.output,
  Expected: checkins.Expected,
  Export: account.Export,
  FeedFetch: calendar.FeedFetch,
  FirstSteps: clubs.ViewerClub.shape.first_steps.unwrap(),
  Found: search.Found,
  Handover: handovers.Handover,
  Host: people.Host,
  Invite: invites.Invite,
  InviteLink: invites.InviteLink,
  LinkedAnswer: answers.LinkedAnswer,
  LogDetails: log.LogDetails,
  ListFile: members.ListFile,
  LogEntry: log.LogEntry,
  LoginSession: auth.LoginSession,
  Member: members.Member,
  MemberAnswer: answers.MemberAnswer,
  MemberForAdmin: members.MemberForAdmin,
  MoreEvents: events.MoreEvents,
  MovedFrom: moved_from.unwrap(),
  Notification: notifications.Notification,
  OpenTime: times.OpenTime,
  PaymentAccount: payments.PaymentAccount,
  PersonInLog: log.PersonInLog,
  PersonName: people.PersonName,
  PersonWithId: handovers.Handover.shape.from,
  PushDevice: push.DeviceState,
  Question: questions.Question,
  Reader: users.Reader,
  Recurrence: times.Recurrence,
  SavedAnswer: answers.SavedAnswer,
  SavedAbsence: absences.SavedAbsence,
  SeatsHeld: series.SeatsHeld,
  Series: series.Series,
  Section: sections.Section,
  SeriesOfEvent: seriesOfCard.unwrap(),
  Slot: slots.Slot,
  StandingAnswer: series.StandingAnswer,
  Message: updates.Message,
  Update: updates.Update,
  ListedUpdate: updates.ListedUpdate,
  UpdateReader: updates.UpdateReader,
  LinkedUpdate: updates.LinkedUpdate,
  UpdatePicture: updates.UpdatePicture,
  User: users.User,
  Voter: times.Voter,
};

const described: [z.ZodType, Metadata][] = [
  [
    Instant,
    {
      id: 'Instant',
      description: 'A time in UTC, ISO 8601 with milliseconds. Requests may use another offset.',
      examples: ['2026-11-24T18:30:00.000Z'],
    },
  ],
  [Day, { id: 'Day', description: 'A calendar day.', examples: ['2026-11-24'] }],
  [TimeZone, { id: 'TimeZone', description: 'The IANA name of a time zone.', examples: ['Europe/London'] }],
  [Ref, { description: 'An id or a slug.', examples: ['harbour-rowers'] }],
  [Email, { examples: ['ada@example.org'] }],
  [Cursor, { description: 'The cursor of the next page, from the response with the page before it.' }],
];

/** The metadata of schemas in requests and in responses. */
function metadata() {
  const ofRequests = z.registry<Metadata>();
  const ofResponses = z.registry<Metadata>();
  for (const registry of [ofRequests, ofResponses]) {
    for (const [shape, meta] of described) registry.add(shape, meta);
    for (const [id, shape] of Object.entries(values)) registry.add(shape, { id });
  }
  for (const [id, shape] of Object.entries(objects)) ofResponses.add(shape, { id });
  return { input: ofRequests, output: ofResponses };
}

export type SchemaOf = (shape: z.ZodType, io: 'input' | 'output') => Record<string, unknown>;

/** Converts schemas. `named` collects the schemas that have a name, and the others refer to them. */
export function schemasOfDocument() {
  const named: Record<string, object> = {};
  const registries = metadata();
  const schemaOf: SchemaOf = (shape, io) => {
    const json = JSON.stringify(z.toJSONSchema(shape, { io, metadata: registries[io] }));
    const { $schema: _, $defs, ...schema } = JSON.parse(json.replaceAll('#/$defs/', '#/components/schemas/'));
    Object.assign(named, $defs);
    return schema;
  };
  return { named, schemaOf };
}
