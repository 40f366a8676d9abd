import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('notifications', {
  notifications: 'Notifications',
  loadingNotifications: 'Loading notifications...',
  settings: 'Settings',
  noNotificationsYet: 'No notifications yet',
  viewAllNotifications: 'View all notifications',
  deleteNotification: 'Delete notification',
  event: 'Event: {event_name}',
  viewed: '• Viewed',
  actioned: '• Actioned',
  allNotifications: 'All Notifications',
  noNotificationsYetText: 'News from your clubs shows up here.',
  notLoaded: "We couldn't load your notifications",
  notLoadedText: "They aren't lost. Try again in a moment.",
  clearAll: 'Clear all',
  clearAllNotifications: 'Clear all notifications?',
  clearAllNotificationsText:
    'This will permanently remove all your notifications. This action cannot be undone.',
  clearing: 'Clearing...',
  bellNotLoaded: "We couldn't load your notifications. Try again in a moment.",
});
