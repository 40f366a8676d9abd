import { toast, type ToastMessage, type ToastTone } from '#ui/toast.ts';

/** Fallback message. */
export const unexpected = 'An unexpected error occurred';

/** Toasts by outcome of an operation. The texts are copied verbatim from the specification. */
const messages = {
  loginFailed: ['An error occurred', 'Please try again, or contact support.'],
  clubNotFound: ['Error', 'Club not found'],
  clubUpdateFailed: ['Error', 'There was an error updating this club'],
  clubUpdated: ['Success', 'You have updated this club'],
  onlyAdminLeaves: [
    'Permission denied',
    'You cannot perform this action, you are the only admin left in the club.',
  ],
  clubLeft: ['You have left', 'You are no longer part of this club and have left all related events'],
  inviteLinkFailed: ['Failed to create invite link', 'Failed to create invite link, please try again later.'],
  inviteLinkDeletionFailed: [
    'Failed to delete invite link',
    'Failed to delete invite link, please try again later.',
  ],
  inviteLinkCopied: ['Link copied to clipboard', 'The invite link has been copied to your clipboard.'],
  joinFailed: ['Failed to join club', 'Failed to join club, please try again later.'],
  nameMissing: ['Please enter your name', 'Please enter your first and last name.'],
  userUpdateFailed: ['Error', 'An error occurred while updating user'],
  userUpdated: ['User Updated', 'User has been updated successfully'],
  eventFormErrors: [
    'Form errors',
    'Please complete all required fields and ensure the start date is in the future',
  ],
  eventStartInPast: ['Start date error', 'The start date must be in the future'],
  eventFieldsMissing: ['Missing fields', 'Please complete all required fields'],
  eventCreationFailed: ['Error creating event', 'Please try again or contact support'],
  eventUpdateFailed: ['Error', 'There was an error updating this event'],
  eventUpdated: ['Success', 'You have updated this event'],
  eventShared: ['Link copied to clipboard!', 'You can now share it with your friends.'],
  attendFailed: ['Error', 'An error occurred while trying to attend event'],
  unattendFailed: ['Error', 'An error occurred while trying to unattend event'],
  slowDown: ['Slow Down', 'You are performing this action too quickly'],
  eventCancelled: ['Event cancelled', 'you have cancelled the event.'],
  cancelFailed: ['Error', 'error cancelling event.'],
  roleChanged: ['Updated', 'User role has been updated'],
  onlyAdminDemoted: ['Error', "You cannot remove a club's only admin"],
  ejectSelf: ['Error', 'You cannot eject yourself from a club'],
  ejectNotAdmin: ['Error Removing user.', 'You are not an admin.'],
  ejectOnlyAdmin: ['Error Removing user.', 'The user is the only admin left.'],
  ejected: ['Ejected', 'User has been ejected'],
  publishFailed: ['Error publishing update', 'Please try again.'],
  published: ['Update published!', 'Your club members will see this update.'],
  publishNotAdmin: ['Only admins can publish updates.', "You shouldn't even be here!"],
  feedbackMissing: ['Error', 'Please enter some feedback'],
  feedbackFailed: ['Error', 'There was an error updating this event'],
  settingsSaved: ['Saved'],
  settingsFailed: ['Error', unexpected],
  notificationsCleared: ['All notifications cleared', 'Your notification history has been cleared.'],
  clearingFailed: ['Error', 'Failed to clear notifications. Please try again.', 'danger'],
} as const satisfies Record<string, readonly [title: string, text?: string, tone?: ToastTone]>;

export type MessageKey = keyof typeof messages;

/** Shows a toast: one from the catalogue by key, or a custom message. */
export function showToast(message: MessageKey | ToastMessage) {
  if (typeof message !== 'string') return toast(message);
  const [title, text, tone]: readonly [string, string?, ToastTone?] = messages[message];
  return toast({ title, text, tone });
}
