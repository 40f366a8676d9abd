import { Banner } from '#ui/Banner.tsx';
import { sentence } from './words.ts';

/** Stays beside a form that could not be sent, when the toast has gone. */
export function NotSaved({ title, failure }: { title: string; failure: Error | null }) {
  return (
    failure && (
      <Banner tone="warn" role="alert" title={title}>
        {sentence(failure)} Nothing you have entered is lost.
      </Banner>
    )
  );
}
