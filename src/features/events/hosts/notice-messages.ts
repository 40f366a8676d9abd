import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.hosts.notices', {
  hostYou: '{actor} made you a host of “{event}”.',
  hostActor: '{actor} took over from you as the host of “{event}”.',
  hostOther: '{actor} made someone else the host of “{event}”.',
  hostRemoved: '{actor} removed you as a host of “{event}”.',
  hostYouSubject: "You're a host: {event}, {day}",
  noHostSubject: "You're no longer a host: {event}, {day}",
});
