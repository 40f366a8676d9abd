import { Link } from 'react-router';
import { settings } from '#web/settings.ts';
import { useTitle } from '#web/useTitle.ts';
import { Rich } from '#ui/Rich.tsx';
import { t } from '#app/web/pages/privacy/messages.ts';
import type { Elements } from '#ui/elements.ts';

const link = 'text-accent underline underline-offset-4';

export default function PrivacyPage() {
  useTitle(t('privacyPolicy'));
  const { productName, makerName } = settings;
  return (
    <article className="mx-auto max-w-2xl px-4 pt-6 pb-20 sm:px-6 sm:pt-10">
      <h1 className="text-2xl font-bold sm:text-4xl">{t('privacyPolicy')}</h1>
      <p className="mt-3 text-lg text-muted">{t('whoWeAre', { productName, makerName })}</p>
      <Part title={t('ourPrivacyPromise')}>
        <p>{t('promiseText')}</p>
        <ul className="list-disc space-y-1.5 pl-5">
          <li>{t('noAnalytics')}</li>
          <li>{t('noCookies')}</li>
          <li>{t('offlineScreens')}</li>
          <li>{t('noThirdParties')}</li>
        </ul>
      </Part>
      <Part title={t('yourInformation')}>
        <p>{t('whatWeCollect')}</p>
        <ul className="list-disc space-y-1.5 pl-5">
          <li>{t('collectsEmail')}</li>
          <li>{t('collectsName')}</li>
          <li>{t('collectsPhone')}</li>
          <li>{t('collectsClubs')}</li>
          <li>{t('collectsAbsences')}</li>
        </ul>
        <p>{t('loginsAndRequests')}</p>
        <p>{t('whoSeesYou')}</p>
      </Part>
      <Part title={t('howWeUseData')}>
        <p>{t('useOfData')}</p>
        <p>{t('retention')}</p>
      </Part>
      <Part title={t('legalBasis')}>
        <p>{t('legalBasisText')}</p>
      </Part>
      <Part title={t('requestingYourInformation')}>
        <p>
          <Rich parts={t.parts('yourData', { link: accountLink })} />
        </p>
        <p>{t('deletion')}</p>
        <p>{t('ifLockedOut')}</p>
      </Part>
      <Part title={t('howWeProtectData')}>
        <p>{t('protectionText')}</p>
      </Part>
      <Part title={t('howYouCanHelp')}>
        <p>{t('howYouCanHelpText')}</p>
      </Part>
      <Part title={t('furtherInformation')}>
        <p>{t('calendarProviders')}</p>
        {settings.hasPush && <p>{t('pushServices')}</p>}
        <p>{t('stripe')}</p>
      </Part>
      <Part title={t('changes')}>
        <p>{t('changesText', { productName })}</p>
      </Part>
      <Part title={t('contact')} id="contact">
        <Contact />
      </Part>
    </article>
  );
}

const accountLink = (text: string) => (
  <Link to="/app/profile" className={link}>
    {text}
  </Link>
);

const mailLink = (email: string) => (
  <a href={`mailto:${email}`} className={link}>
    {email}
  </a>
);

function Part({ title, id, children }: { title: string; id?: string; children: Elements }) {
  return (
    <section id={id} className="mt-10 scroll-mt-6 space-y-3">
      <h2 className="text-xl font-bold">{title}</h2>
      {children}
    </section>
  );
}

function Contact() {
  const { supportEmail, makerName, makerUrl } = settings;
  const siteLink = (text: string) => (
    <a href={makerUrl} target="_blank" rel="noopener noreferrer" className={link}>
      {text}
    </a>
  );
  if (supportEmail)
    return (
      <p>
        <Rich parts={t.parts('writeToUs', { link: mailLink }, { makerName, supportEmail })} />
      </p>
    );
  return (
    <>
      <p>{t('noSupportAddress')}</p>
      {makerUrl !== '/' && (
        <p>
          <Rich parts={t.parts('reachTheMaker', { link: siteLink }, { makerName })} />
        </p>
      )}
    </>
  );
}
