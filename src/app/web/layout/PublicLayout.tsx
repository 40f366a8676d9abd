import { Outlet } from 'react-router';
import { useLoggedIn } from '#web/useLoggedIn.ts';
import { PublicFrame } from './PublicFrame.tsx';

/** Layout route of the public pages. */
export default function PublicLayout() {
  return (
    <PublicFrame loggedIn={useLoggedIn()}>
      <Outlet />
    </PublicFrame>
  );
}
