import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('members.csv', {
  fileName: 'Members {club}',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  role: 'Role',
  admin: 'Admin',
  organiser: 'Organiser',
  member: 'Member',
  sections: 'Sections',
  joined: 'Joined',
  phone: 'Phone',
});
