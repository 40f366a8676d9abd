import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('notifications.home', {
  notifications: 'Notifications',
  notificationsNew: 'Notifications, {count} new',
  loadingNotifications: 'Loading notifications...',
  newNotification: 'New Notification',
});
