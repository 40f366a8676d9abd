// `npm run release -- minor`: prepares a release in the working tree, and prints the commands that publish it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const run = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' }).trim();

/** Prepares a release of the commit that is checked out, and returns its version. */
function prepare(wanted = ''): string {
  if (!/^(major|minor|patch|\d+\.\d+\.\d+)$/.test(wanted))
    throw new Error('Name the release: npm run release -- major, minor, patch or a version such as 1.2.3.');
  const { version: current } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  if (/^\d/.test(wanted) && wanted.localeCompare(current, 'en', { numeric: true }) <= 0)
    throw new Error(`Version ${wanted} is not newer than ${current}.`);
  const changed = run('git', 'status', '--porcelain');
  if (changed) throw new Error(`Commit or remove these changes first:\n${changed}`);
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const section = changelog.split(/^## /m)[1];
  if (!section?.startsWith('[Unreleased]\n') || !/^- /m.test(section))
    throw new Error('The unreleased section of CHANGELOG.md has no lines.');

  const commit = run('git', 'rev-parse', 'HEAD');
  const version = run('npm', 'version', '--no-git-tag-version', wanted).replace(/^v/, '');
  const released = `## [Unreleased]\n\n## [${version}] - ${new Date().toISOString().slice(0, 10)}\n`;
  writeFileSync('CHANGELOG.md', changelog.replace('## [Unreleased]\n', released));
  // The release commit changes no code, so the code of the release is in the commit before it, whose hash is known.
  writeFileSync('test/released.json', `{ "version": "${version}", "commit": "${commit}" }\n`);
  return version;
}

try {
  const version = prepare(process.argv[2]);
  console.log(`Release ${version} is prepared. Look at the changes (git diff), then publish it:

  git commit --all --message 'chore: release ${version}'
  git tag --annotate v${version} --message 'Muster ${version}'
  git push --follow-tags`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
