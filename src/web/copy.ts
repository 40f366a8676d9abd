import { toast, type ToastMessage, type ToastTone } from '#ui/toast.ts';
import { t } from './toast-messages.ts';

type ToastText = Parameters<typeof t>[0];

/** Fallback message. */
export const unexpected = () => t('unexpected');

/** Toasts by outcome of an operation, as the keys of their texts. */
const messages = {
  loginFailed: ['loginFailed', 'loginFailedText'],
  clubNotFound: ['error', 'clubNotFoundText'],
  clubUpdateFailed: ['error', 'clubUpdateFailedText'],
  clubUpdated: ['success', 'clubUpdatedText'],
  onlyAdminLeaves: ['onlyAdminLeaves', 'onlyAdminLeavesText'],
  clubLeft: ['clubLeft', 'clubLeftText'],
  inviteLinkFailed: ['inviteLinkFailed', 'inviteLinkFailedText'],
  inviteLinkDeletionFailed: ['inviteLinkDeletionFailed', 'inviteLinkDeletionFailedText'],
  inviteLinkCopied: ['linkCopied', 'inviteLinkCopiedText'],
  joinFailed: ['joinFailed', 'joinFailedText'],
  nameMissing: ['nameMissing', 'nameMissingText'],
  userUpdateFailed: ['error', 'userUpdateFailedText'],
  userUpdated: ['userUpdated', 'userUpdatedText'],
  eventFormErrors: ['eventFormErrors', 'eventFormErrorsText'],
  eventStartInPast: ['eventStartInPast', 'eventStartInPastText'],
  eventFieldsMissing: ['eventFieldsMissing', 'eventFieldsMissingText'],
  eventCreationFailed: ['eventCreationFailed', 'eventCreationFailedText'],
  eventUpdateFailed: ['error', 'eventUpdateFailedText'],
  eventUpdated: ['success', 'eventUpdatedText'],
  eventShared: ['eventShared', 'eventSharedText'],
  attendFailed: ['error', 'attendFailedText'],
  unattendFailed: ['error', 'unattendFailedText'],
  slowDown: ['slowDown', 'slowDownText'],
  eventCancelled: ['eventCancelled', 'eventCancelledText'],
  cancelFailed: ['error', 'cancelFailedText'],
  roleChanged: ['roleChanged', 'roleChangedText'],
  onlyAdminDemoted: ['error', 'onlyAdminDemotedText'],
  ejectSelf: ['error', 'ejectSelfText'],
  ejectNotAdmin: ['errorRemovingUser', 'ejectNotAdminText'],
  ejectOnlyAdmin: ['errorRemovingUser', 'ejectOnlyAdminText'],
  ejected: ['ejected', 'ejectedText'],
  publishFailed: ['publishFailed', 'publishFailedText'],
  published: ['published', 'publishedText'],
  publishNotAdmin: ['publishNotAdmin', 'publishNotAdminText'],
  feedbackMissing: ['error', 'feedbackMissingText'],
  feedbackFailed: ['error', 'eventUpdateFailedText'],
  settingsSaved: ['settingsSaved'],
  settingsFailed: ['error', 'unexpected'],
  notificationsCleared: ['notificationsCleared', 'notificationsClearedText'],
  clearingFailed: ['error', 'clearingFailedText', 'danger'],
} as const satisfies Record<string, readonly [title: ToastText, text?: ToastText, tone?: ToastTone]>;

export type MessageKey = keyof typeof messages;

/** Shows a toast: one from the catalogue by key, or a custom message. */
export function showToast(message: MessageKey | ToastMessage) {
  if (typeof message !== 'string') return toast(message);
  const [title, text, tone]: readonly [ToastText, ToastText?, ToastTone?] = messages[message];
  return toast({ title: t(title), text: text && t(text), tone });
}
