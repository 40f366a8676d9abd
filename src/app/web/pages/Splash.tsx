import { Logo } from '#web/Logo.tsx';

/** Shown until the first page is loaded. */
export function Splash() {
  return (
    <div className="grid min-h-dvh animate-fade-in place-items-center [animation-delay:300ms] [animation-fill-mode:backwards]">
      <Logo />
    </div>
  );
}
