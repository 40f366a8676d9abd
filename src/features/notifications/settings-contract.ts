/** The settings of notices, in the order of the settings page. Each notice names one of them. */
export const settingNames = [
  'new_event',
  'event_updated',
  'event_cancelled',
  'event_reminder',
  'event_message',
  'question',
  'attending',
  'answered_for_you',
  'answer_wanted',
  'seat_given',
  'seat_free',
  'answers_changed',
  'not_reached',
  'lift_changed',
  'club_update',
  'update_important',
  'member_joined',
  'role_changed',
  'member_removed',
] as const;
export type Setting = (typeof settingNames)[number];

/** Settings without an effect, because their notices are always sent. */
export const alwaysSent: readonly Setting[] = ['event_cancelled', 'member_removed', 'seat_given'];
