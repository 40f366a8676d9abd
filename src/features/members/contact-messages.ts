import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('members.contact', {
  contact: 'Contact',
  whoSeesPhone: 'Who sees your phone number in {club}?',
  noPhone: 'You have no phone number in your account. <link>Add one</link>',
  nobody: 'Nobody',
  hosts: 'Admins and hosts',
  hostsText:
    "Admins always see it. Hosts of an event you're going to see it from a day before the start until a day after the end.",
  members: 'All members',
  save: 'Save',
  saving: 'Saving',
  saved: 'Saved',
  notSaved: "Your choice wasn't saved",
  notLoaded: "Your choice wasn't loaded",
  call: 'Call {name}',
  noNumber: 'No number for {name}',
});
