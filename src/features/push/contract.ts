import { z } from 'zod';
import type { AnswerButtons } from '#wire/answer-buttons.ts';
import { endpoint } from '#wire/endpoint.ts';
import { text } from '#wire/text.ts';

/** Whether the session of the caller gets notifications on its device. */
export const DeviceState = z.object({
  /** The key with which a browser subscribes. Null if this server sends no notifications to devices. */
  public_key: z.string().nullable(),
  is_on: z.boolean(),
  /** The push service has ended the subscription. The app subscribes again when it is opened next. */
  is_lost: z.boolean(),
});
export type DeviceState = z.infer<typeof DeviceState>;

/** What a push tells the service worker, encrypted for one device. */
export interface PushMessage {
  title: string;
  body: string;
  /** The page that a press opens. */
  path: string;
  /** A notification replaces an older one with the same tag. */
  tag: string;
  language: string;
  /** The bell row that this notification shows. */
  notification?: string | undefined;
  /** The id of a test, which the settings page waits for. */
  test?: string | undefined;
  answers?: AnswerButtons | undefined;
}

export const push = {
  device: endpoint({
    method: 'GET',
    path: '/v1/push/device',
    input: z.object({}),
    output: DeviceState,
    summary: 'Whether this session gets notifications on its device, and the key to subscribe with',
  }),
  saveDevice: endpoint({
    method: 'PUT',
    path: '/v1/push/device',
    input: z.object({
      endpoint: text(1000).min(1),
      /** The public key of the browser, in base64url. */
      p256dh: text(100),
      /** The authentication secret of the browser, in base64url. */
      auth: text(30),
    }),
    output: DeviceState,
    errors: ['push_off', 'device_taken'],
    summary: 'Send notifications to the device of this session; repeating it changes nothing',
  }),
  removeDevice: endpoint({
    method: 'DELETE',
    path: '/v1/push/device',
    input: z.object({}),
    output: DeviceState,
    summary: 'Send no more notifications to the device of this session',
  }),
  testDevice: endpoint({
    method: 'POST',
    path: '/v1/push/device/test',
    input: z.object({}),
    output: z.object({ id: z.string() }),
    // The limit is for a day, so the error is shown at once.
    maxWait: 10,
    // A push service may take seconds, and no transaction waits for it.
    ownTransactions: true,
    errors: ['no_device'],
    summary: 'Send a notification to the device of this session, to see whether it arrives',
  }),
};
