import { Link } from 'react-router';
import { Banner } from '#ui/Banner.tsx';
import { Rich } from '#ui/Rich.tsx';
import { t } from './address-messages.ts';

const link = (text: string) => (
  <Link to="/app/profile" className="inline-block py-1 font-semibold underline underline-offset-4">
    {text}
  </Link>
);

const address = (email: string) => <span className="wrap-anywhere">{email}</span>;

/** Shown on every page below /app while emails to the user are refused. */
export default function AddressNotice({ email }: { email: string }) {
  return (
    <Banner tone="warn" className="mb-6">
      <Rich parts={t.parts('cannotReach', { address, link }, { email })} />
    </Banner>
  );
}
