import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  notifications: 'Notifications',
  notificationsNew: 'Notifications, {count} new',
  loadingNotifications: 'Loading notifications...',
  newNotification: 'New Notification',
});
