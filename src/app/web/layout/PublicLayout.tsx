import { Outlet } from 'react-router';
import { useLoggedIn } from '#web/useLoggedIn.ts';
import { PublicFrame } from './PublicFrame.tsx';

/** The public pages that come to their frame by the router. */
export default function PublicLayout() {
  return (
    <PublicFrame loggedIn={useLoggedIn()}>
      <Outlet />
    </PublicFrame>
  );
}
