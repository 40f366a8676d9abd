import { Card } from '#ui/Card.tsx';
import { Section } from '#ui/Section.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { DownloadData } from './DownloadData.tsx';
import { Sessions } from './Sessions.tsx';

/** What is stored about somebody, in their own hands: where they are logged in, a copy of it all, and its end. */
export function YourData({ email }: { email: string }) {
  return (
    <Section title="Your data" id="your-data" className="mt-4">
      <div className="flex flex-col gap-5">
        <Card>
          <Sessions />
        </Card>
        <Card>
          <DownloadData email={email} />
        </Card>
        <DeleteAccount email={email} />
      </div>
    </Section>
  );
}
