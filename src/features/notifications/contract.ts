import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, text } from '#wire/text.ts';
import { settingNames } from '#features/notifications/settings-contract.ts';

/** The settings of notices that the app shows. The email to a member who signs up has no counterpart in the app. */
const shownNames = settingNames.filter((key) => key !== 'attending');

const settingKeys = [
  ...shownNames,
  ...settingNames.map((key) => `email_${key}`),
  ...shownNames.map((key) => `push_${key}`),
  'weekly_email',
];

/** The lists of members whom the host and the club admins may nudge to answer. */
export const nudgedLists = ['silent', 'maybe', 'unconfirmed'] as const;
export type NudgedList = (typeof nudgedLists)[number];

/** How often and when most recently members were nudged to answer, in total and for each list. */
export const Nudges = z.object({
  nudges: z.int(),
  nudged_at: Instant.nullable(),
  nudged: z.array(z.object({ list: z.enum(nudgedLists), times: z.int(), last_at: Instant })),
});

export const Notification = z.object({
  id: Id,
  message: z.string(),
  created_at: Instant,
  seen_at: Instant.nullable(),
  actioned_at: Instant.nullable(),
  /** The page that a click opens. */
  metadata: z.object({
    club_slug: z.string().optional(),
    event_slug: z.string().optional(),
    event_name: z.string().optional(),
  }),
});
export type Notification = z.infer<typeof Notification>;

/** One boolean for each setting of the notices; true means on. */
const Settings = z.record(z.string(), z.boolean());

export const notifications = {
  list: endpoint({
    method: 'GET',
    path: '/v1/notifications',
    input: z.object({}),
    output: z.array(Notification),
    summary: 'The newest notifications of the user',
  }),
  seen: endpoint({
    method: 'POST',
    path: '/v1/notifications/:id/seen',
    input: z.object({ id: Id }),
    output: Notification,
    summary: 'Mark a notification as seen; repeated calls keep the first time',
  }),
  actioned: endpoint({
    method: 'POST',
    path: '/v1/notifications/:id/actioned',
    input: z.object({ id: Id }),
    output: Notification,
    summary: 'Mark a notification as acted upon; repeated calls keep the first time',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/notifications/:id',
    input: z.object({ id: Id }),
    output: z.null(),
    only: 200,
    summary: 'Delete one notification',
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/v1/notifications',
    input: z.object({}),
    output: z.null(),
    only: 200,
    summary: 'Delete all notifications of the user',
  }),
  settings: endpoint({
    method: 'GET',
    path: '/v1/notification-settings',
    input: z.object({}),
    output: Settings,
    summary: 'Notification settings of the user, in the app, by email and on devices',
  }),
  saveSettings: endpoint({
    method: 'PUT',
    path: '/v1/notification-settings',
    input: z.strictObject(Object.fromEntries(settingKeys.map((key) => [key, z.boolean().optional()]))),
    output: Settings,
    only: 200,
    summary: 'Change notification settings; omitted keys keep their values',
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/v1/notification-settings/unsubscribe/:token',
    input: z.object({ token: text(200) }),
    output: z.object({ key: z.string() }),
    who: 'anyone',
    takesForms: true,
    page: '/unsubscribe',
    summary: 'Switch off the emails of one kind, with the link in each of these emails',
  }),
};
