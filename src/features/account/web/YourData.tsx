import { Card } from '#ui/Card.tsx';
import { Section } from '#ui/Section.tsx';
import { AnswerLinks } from './AnswerLinks.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { DownloadData } from './DownloadData.tsx';
import { Sessions } from './Sessions.tsx';
import { t } from '#features/account/messages.ts';

/** Sessions, answer links, data export and account deletion. */
export function YourData({ email }: { email: string }) {
  return (
    <Section title={t('yourData')} id="your-data" className="mt-4">
      <div className="flex flex-col gap-5">
        <Card>
          <Sessions />
        </Card>
        <Card>
          <AnswerLinks />
        </Card>
        <Card>
          <DownloadData email={email} />
        </Card>
        <DeleteAccount email={email} />
      </div>
    </Section>
  );
}
