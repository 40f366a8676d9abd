import { AttendeeList } from '#features/events/answers/web/AttendeeList.tsx';
import LoggedIn from '#features/auth/web/LoggedIn.tsx';
import { OwnPicture } from '#features/media/web/OwnPicture.tsx';
import { expect, test } from 'vitest';
import { backgroundOf } from '#ui/identity.ts';
import { session } from '#web/first/session.ts';
import { ada, renderPage } from '#test/render-page.tsx';
import { UserMenu } from './AppLayout.tsx';

const token = { Token: 'token', Expires: '2099-01-01T00:00:00.000Z' };

test.each([
  ['Ada', ada, 'A'],
  ['a person without a name', { ...ada, first_name: '' }, 'NU'],
])(
  'identity: %s has the same initials and colour in the menu, on the profile, at the login and in lists [UX-36]',
  (_who, user, initials) => {
    session.write({ AccessToken: token, RefreshToken: token });
    renderPage(
      <>
        <UserMenu user={user} />
        <OwnPicture user={user} />
        <LoggedIn />
        <AttendeeList
          label="Attendees"
          event="tuesday-run"
          answer="going"
          isOpen
          isNumbered={false}
          from={null}
          attendees={[{ ...user, attendee_id: user.id, attendee_role: 'attendee', guests: 0 }]}
        />
      </>,
      { user },
    );
    const avatars = [...document.querySelectorAll('[data-initials]')];
    expect(avatars.map((each) => each.getAttribute('data-initials'))).toEqual(Array(4).fill(initials));
    for (const each of avatars) expect(each.parentElement?.className).toContain(backgroundOf(user.id));
  },
);
