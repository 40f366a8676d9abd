import { AttendeeList } from '#features/events/answers/web/AttendeeList.tsx';
import LoggedIn from '#features/auth/web/LoggedIn.tsx';
import { OwnPicture } from '#features/media/web/OwnPicture.tsx';
import { expect, test } from 'vitest';
import { hueOf } from '#wire/hue.ts';
import { session } from '#web/first/session.ts';
import { ada, renderPage } from '#test/render-page.tsx';
import { UserMenu } from './AppLayout.tsx';

const token = { Token: 'token', Expires: '2099-01-01T00:00:00.000Z' };

test.each([
  ['Ada', ada, '[data-initials=A]'],
  ['a person without a name', { ...ada, first_name: '' }, 'svg.lucide-user-round'],
])(
  'identity: %s has the same initials or silhouette, and the same colour, in the menu, on the profile, at the login and in lists [UX-36 LOOKUX-02]',
  (_who, user, content) => {
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
    const avatars = [...document.querySelectorAll(`[data-hue='${hueOf(user.id)}']`)];
    expect(avatars.map((each) => each.querySelectorAll(content).length)).toEqual([1, 1, 1, 1]);
  },
);
