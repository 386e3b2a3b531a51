import "server-only";
import { AppError } from "#lib/core/errors.ts";
import { uniqueKey } from "./policy.ts";

/*
 * The best-known common passwords, as they appear in every published ranking: digits, keyboard patterns, names, teams,
 * brands and phrases. Lowercase letters and digits. Endings of up to four characters and usual replacements (p@ssw0rd)
 * need no entry.
 */

const DIGITS = `
123456 1234567 12345678 123456789 1234567890 12345 123123 123321 654321 54321 987654321 0987654321 987654 87654321
111111 1111111 11111111 111111111 1111111111 000000 00000000 0000000000 222222 22222222 333333 444444 555555
55555555 666666 66666666 777777 7777777 77777777 888888 88888888 999999 99999999 121212 12121212 112233 11223344
1122334455 123654 123654789 147258 147258369 159753 159357 741852 741852963 789456 789456123 963852 963852741 951753
456789 456123 321321 321654 131313 141414 151515 161616 171717 181818 191919 101010 202020 212121 232323 242424
252525 303030 696969 69696969 420420 246810 135790 1357924680 102030 10203040 100200 121314 123412 12341234
1234554321 12344321 123454321 123789 1020304050 2000 2001 1984 1990 1991 1992 1993 1994 1995 1996 1997 1998 1999
2010 2012 2020 2021 2022 2023 2024 2025 2026 111222 111222333 112112 007007
`;

const PATTERNS = `
0okm9ijn 123456789a 123456789q 12345678a 1234567a 123456a 123456abc 123456q 123456w 123456z 12345a 1234abc 1234abcd
1234qwer 123abc 123asd 123qwe 123qweasd 123qweasdzxc 123zxc 12qwaszx 1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz
1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1qazzaq1 2pac 2wsx3edc 50cent a12345 a123456 a1234567 a12345678 a123456789 a1b2c3
a1b2c3d4 a1s2d3f4 aa123456 aa12345678 aaa111 abc123 abc1234 abc12345 abc123456 abcd123 abcd1234 admin12345 agent007
ahmed123 aladdin1 anna123 anne123 antony1 art123 as123456 asd123 bastard1 benny123 billy123 bitch1 bla123 blink182
blog123 bond007 bruno123 cat123 cesar123 class2020 class2021 class2022 class2023 class2024 class2025 class2026
cloud9 cr7 derek123 dog123 dude123 dylan123 eight8 felix123 frank123 haha123 hell666 henry123 hiya12 jack123 job123
john123 john316 jose123 juan123 kenny123 kobe24 leo123 lol123 luis123 m123456 mark123 marley420 math123 max123
max1234 number1 om123 omg123 pa55w0rd pa55word pass12345 pass123456 passw0rd password12345 password123456
password4me q123456 q1w2e3 q1w2e3r4 q1w2e3r4t5 qaz123 qq123456 qwe123 qwerty12345 qwerty123456 ryan123 s123456
satan666 scott123 steve123 susan123 test12345 trustno1 usa123 w123456 wtf123 xyz123 z123456 zaq12wsx zaq1zaq1 zxc123
`;

const WORDS = `
aaaaaa aaaaaaaa aabbcc abcabc abcdef abcdefg abcdefgh abcdefghi abcxyz abracadabra access accessgranted acdc acmilan
actor actress admin adminadmin administrator adminpassword adobe africa airforce ajax alex alexande alexander
alexandra alexis alibaba allah alpha alphabet always amanda amazing amazon amber amen america american andrea andrew
android angel angeleyes angelface angelica angels angelus anita annie anonymous anthony antonio anything apache
apollo apple apples april aquarius aragorn argentina aries army arsenal arthur artist asdasd asdasdasd asdf asdfasdf
asdfg asdfgh asdfghj asdfghjk asdfghjkl asdfjkl asdqwe ashley aspirin assassin asshole asterix astro athena athens
atlanta atlantis audi august austin australia autumn avalon avengers aviation awesome azerty azertyuiop babyblue
babyboy babydoll babyface babygirl babyphat backstreet backup bacon badass badboy badgirl balloon bambam bambi
bambino bamboo banana bananas bandit barbara barbie barca barcelona bart bartsimpson baseball basket basketball bass
bassman batman baxter bayern beach beachbum beagle beaner beanie bear bears beatles beatriz beautiful beauty beaver
beckham beer believe benfica benjamin berlin bernard bestever bestfriend bestfriends beta beyonce bible bigbird
bigboss bigboy bigdaddy bigdog bigfoot biggie bighead bigmac bigman bigred bilbo bingo biology birthday bishop
bismillah bitches biteme blablabla black blackbird blackcat blackdog blackjack blackout blah blahblah bleach blessed
blessing blizzard blogger blondie blue blueberry bluebird blueeyes blues bluesky bmw bmwbmw boards bobmarley boca
bonnie booboo boomer bootsie boss boston bowling boxing bozo bradley brandon brandy brasil brazil brenda brian
britney brittany broadway bronco broncos brooke brooklyn brother brothers bruins bryan bubblegum bubbles buddha
buddy budweiser buffalo builder bulldog bulldogs bullet bulls bullshit bunnies bunny burger burning business buster
butter buttercup butterfly buttons cactus caitlin california callofduty calvin camaro camera cameron camila camille
camping canada cancer candy candyman canela capricorn captain captainamerica carlos carmen carolina caroline carrot
cartman casey cash casper cassandra cassie castle catdog catherine catlover cats cecilia celtics challenge champ
champion champions chance change changeit changeme changepassword changethis chargers charizard charles charlie
charlotte chase cheer cheerleader cheese cheesecake chelsea chemistry cherry chester chevrolet chevy chewbacca
chicago chichi chicken chico china chipper chiquita chivas chloe chocolate chris christ christian christina
christine christmas christopher church cinderella cinema cinnamon cisco claire claudia clover cobra cocacola cocoa
coconut coffee coke college colombia compaq computer concept connect conner connor content contrasena cookie cookies
cool coolcool cooldude coolgirl coolguy coolman cooper copper corona correcthorsebattery correcthorsebatterystaple
corvette cosmo cosmos counter counterstrike country countryboy countrygirl courtney cowboy cowboys cowgirl cracker
crazy crazygirl crazyman creation creative creator cricket cristian cristina crystal cubs cuddles cupcake cupid
cuteness cutie cutiepie cyclone cypress daddy daddysgirl daisy dakota dallas dancer dancing daniel danielle dark
darkness darkside darling darthvader database david davidson deadpool dearest death deborah december default dell
delta demo demon demouser denali denise dennis denver derrick design designer desiree desktop destiny detroit
deutschland devil dexter diablo diamond diamonds diana diego digital disco divine doctor dodge dodgers doggie doggy
doglover dogs dollar dollars dolphin dolphins dominic donald donaldduck dontforget dontknow dookie douglas dragon
dragonball dragonfly dragons drake drawing dream dreamer dreams driver dropbox drowssap drpepper drummer drums
ducati duke dumbass dumbledore dumbo duncan eagle eagles earth easter ebay eclipse edcrfv eduardo edward eeyore
einstein electra electric electrician elena elephant elizabet elizabeth elvis elvispresley emerald emily eminem emma
emmanuel energy engine engineer england english enter enterprise entry eric ernesto erotica espana espresso esther
europe evanescence evelyn everton everything example excalibur excellent exodus express extreme facebook faith
falcon falcons family familyguy fantastic farmer fashion fatboy fatcat father february felipe fender fernanda
fernando ferrari fiesta fiona fire fireball firebird firefighter firefly fireman fishing flames flash flipper
florida flower flowers flyers flying foobar foofoo football ford forest forever foreveryoung forgetit fortnite
france francesca francis francisco frankie freak freaky freddie freddy freedom friday friend friendly friends
friendship frodo frog frogger froggy fubar fuckit fuckme fuckoff fuckyou futurama future gabriel gabriela gabrielle
galaxy gameover gamer games gaming gamma gandalf ganesh gangsta gangster garden garfield garrett gateway gemini
genesis george gerald germany ghost ghostrider giants gibson ginger gloria gmail godbless godisgood godislove
godzilla goku gold golden goldfish goldie golf golfer golfing goodboy goodbye goodday goodgirl goodlife goodluck
goodmorning goodness goodnight goofy google gorgeous gospel gotcha grace gracie green greenbay greenday guest
guinness guitar guitarist gummybear gundam gunner gunners gymnast hahaha hahahaha hallelujah halloween hamburger
hammer hamster handsome hannah hansolo happiness happy happyday happyface hardcore harley harleydavidson harmony
harrypotter harvey haslo hawaii hawk hawks hayden heart hearts heather heaven hehehe heineken helena hello
hellohello hellokitty helloworld hercules hermione hershey heslo heyhey highland highschool hiphop history hobbit
hockey hogwarts holiday hollywood holy holyspirit home homer homersimpson homerun homesweethome honda honey honeybee
honolulu hooters hope hornet hospital hotdog hotgirl hotmail hotrod hotstuff hottie house household houston hugs
hugsandkisses hulk hunter hunting hurricane husband ice icecream icehouse iceman idiot idontknow iforgot
iforgotmypassword ihateyou ilovegod ilovehim ilovejesus iloveme ilovemyself iloveu iloveyou iloveyoubaby iloveyouso
imagine impala india indian indians inferno infinity inside instagram intel inter internet iphone ireland ironmaiden
ironman isabel isabella isabelle islam island italia italy iverson jackass jackie jackpot jackson jacob jade jaguar
jamaica james jamesbond january jasmin jasmine jason jasper jedi jeffrey jellybean jellyfish jennifer jeremy jessica
jessie jester jesus jesuschrist jesusfreak jesusislord jesuslovesme jobs johnny johnson joker jonathan jordan jorge
joseph joshua julia julian juliana julie junior jupiter justdoit justice justin justinbieber juventus karate karen
karina katana katherine kathleen katie kawasaki kayla kelly kenneth kermit kevin killer killers kimberly king
kingarthur kingdom kingkong kingston kisses kisskiss kissme kitten kittens kitty kittycat knicks knight knights
kobebryant korn krishna kristen kristina ladybug lake lakers lakota lancer laptop larissa lasvegas laura lauren
lawyer leagueoflegends lebron ledzeppelin legacy legend legends legion legolas lemon lemonade leonardo leslie letme
letmein letmeinnow letsdoit letsgo letters lexus liberty libra library lightning lilly lily linda lindsay linkedin
linkinpark linux lion lioness lions little littleman littleone liverpool lizard lkjhgf lkjhgfdsa lobster logan login
logmein logon lollipop lollol lollypop london lorenzo losenord loser losers louise love lovebird lovebug loveland
lovelife lovelove lovely loveme lover loverboy lovergirl lovers loveyou loveyouforever lozinka lucas lucifer lucky
luckyone luigi lukeskywalker lunatic macbook mackenzie macromedia maddog madeline madison madman madmax madonna
madrid maggie magic malcolm manager manchester mango manhattan maniac manuel manunited manutd maradona marcel march
marco marcus margaret maria mariana marianne marie marina marine marines mario marketing marshmallow martha martin
martina martini master matrix matthew maverick maxima maximum maximus maxwell mechanic media medicine medusa
megadeth megan melanie melissa memories memory mercedes mercury mercy merlin messi metallica mets mexican mexico
michael michaeljackson michelle mickey mickeymouse microsoft midnight miguel milan military million millionaire mine
minecraft minime minnie minniemouse miracle miracles miranda mission mittens mnbvcx mnbvcxz model mohamed mohammed
molly mom mommy monday money moneymaker moneyman monica monkey monkeys monopoly monster monsters moon moonlight
moose morgan morning moron morpheus moscow motdepasse mother motorcycle mountain mountains movie movies mozart
muffin muhammad mum muppet murphy mushroom music musica musical muslim mustang myangel mybabies mybaby mycat mydog
myfamily myheart mykids mylife mylove mymother mypassword mysecretpassword myself myspace mysql mystery mystuff
napoleon naruto nascar nastya natalie natasha nathan nature naughty navigator navy nelson nemo neo neptune netflix
network neveragain nevergiveup neverland nevermind newlife newpassword newyork newyorker neymar nicholas nicolas
nicole nightmare ninja ninjas nintendo nirvana nissan noidea nokia noname noodle noodles nopass nopassword nothing
november nugget numberone numbers nurse oakland obelix ocean oceans october octopus office oliver olivia omega
onedirection onepiece onion online opendoor opensesame openup operator oracle orange orchid oreo oscar ourhouse
outlaw outside overwatch packard packers pakistan pamela panasonic pancake panda pandas panther panthers paradise
paris parker parola parole pass passion passkey passme passpass passphrase passwd password passwords passwort
passwrd pastor patches patricia patrick patriots paypal peace peacelove peaceout peach peaches peanut peanutbutter
pearl pedro peewee penguin penguins penny people pepper pepsi perfect peter peterpan petunia phantom philip phillip
phoenix photo photos photoshop physics piano picard picture pictures piglet pikachu pilot pimpin pinboard pink
pinkfloyd pinkie pinklady pinky pins pinterest pioneer pirate pirates pisces pizza planet platinum playboy player
players playstation please pluto poetry poison poiuyt poiuytrewq pokemon police polina pooh poohbear popcorn popeye
porsche portal porter portland porto postgres potato potter power powerful powers prayer precious predator premier
presario pretty prettygirl prince princesa princess princeton private psycho pumpkin pumpkins puppies puppy
puppylove purple python qazqaz qazwsx qazwsxedc queen queenbee qwaszx qweasd qweasdzxc qweqwe qweqweqwe qwer
qwerasdf qwert qwerty qwertyu qwertyui qwertyuiop qwertz qwertzuiop rabbit racecar racer rachel racing raiders
rainbow rainbows raistlin rambo ramones ranger rangers rapper raptor rascal raven ravens razor reading realmadrid
rebecca rebel rebels red reddevil redhead redneck redskins redsox redwings reggae remember rememberme renegade
revelation rhino ricardo richard rider rihanna river robert roberto roblox rockandroll rocket rockets rocknroll
rockstar rocky rodrigo roland roma romance rome rommel ronald ronaldo rooster root rootpassword rootroot rose
rosebud rosemary roses rosie royal ruby rugby runner running russell russia rusty sabrina sagittarius sailor saints
salasana salmon samantha sammie sammy samson samsung samurai sandra santiago sapphire sarah sasuke saturday saturn
savannah savior scarface scarlet school schools science scientist scooby scoobydoo scooter scorpio scorpion scotland
seattle sebastian secret secrets secure securepassword security seinfeld senha senior september sergio server
service sesame sexy sexybabe sexygirl shadow shadows shakira shannon shark sharks sharon shelby sherlock shopping
shorty sierra sifre sigma signal silver simba simon simone simpson simpsons sister sisters skateboard skater skinny
skipper skittles skyler skyline skype skywalker slayer slipknot smile smiley smokey smooth snake snapper snickers
sniper snoopdogg snoopy snow snowball snowboard snowflake snowman snowwhite soccer social softball soldier something
sonic sony sophia sophie soulmate southpark space spaceman spaghetti sparky spartan spartans special speedy spencer
spicegirls spider spiderman spirit spock spongebob spooky sporting spotify spring sprite spunky squirrel stallion
stanley star starcraft stardust starlight stars startrek starwars steak steel steelers stella stephanie stephen
steven stewie stingray stitch storm stormy strawberry strike strong student stupid style subaru subway success sugar
summer summertime sundance sunday sunflower sunil sunny sunrise sunset sunshine super superadmin superior superman
superstar supervisor superwoman support surfer surfing surprise survivor susana suzuki sweet sweetheart sweetie
sweetpea sweety swimmer swimming swordfish sydney symbol sysadmin system tamara tango target tarot tarzan tatiana
tattoo taurus taylor taylorswift teacher techno teddy teddybear telephone temp temporary temppass tennis tequila
teresa terminator test tester testing testpassword testtest testuser tetris texas thankyou theater thebest theend
thegreat theking theman theodore theone thepassword theresa therock thisisapassword thisisit thisismypassword thomas
thor thuglife thunder thunderbird thursday tiffany tiger tigers tigger tiktok timber timothy tinker tinkerbell
tintin titanic titans today todayisgoodday toffee toggle tokyo tomato tomorrow tonight toor tootsie topgun topsecret
tornado toronto toshiba tottenham toyota tractor traffic travis trinity trooper trouble trucker truelove trumpet
trust trustme tucker tuesday tulip tupac turbo turkey turtle turtles tweety tweetybird twilight twinkie twitter
tyler tyson ubuntu ultimate undertaker unicorn unicorns united universe university unknown user username userpass
userpassword vacation vader valentina valeria valerie vampire vampires vanessa vanhalen vanilla vegas vegeta venture
venus vermont veronica vfrcde victor victoria victory video viking vikings vincent violet violetta violin viper
virginia virgo vodka volcano volcom volleyball voyager wachtwoord waffle wallpaper walter wanker warcraft warhammer
warrior warriors water waterfall watermelon webmaster website webster wednesday weekend welcome welcomeback
welcomehome wendy western whatever whatsapp whatsup whiskey white whoami whoareyou wife wildcat wildcats william
williams willow wilson windmill windows winner winners winnie winniethepooh winston winter wizard wolf wolfpack
wolverine wolves wonder wonderful wonderwoman woody work worker world wrestling writer writing wsxedc xavier xbox
xxxxxx xxxxxxxx yahoo yamaha yankee yankees yellow yesterday yesyesyes yoda yogibear yolanda yomama youandme youknow
yourmom yourpassword youtube yoyoyo zachary zaqwsx zelda zeppelin zeus zidane zipper zodiac zombie zxcasd zxcv
zxcvasdf zxcvb zxcvbn zxcvbnm zxczxc zzzzzz
`;

export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(`${DIGITS}${PATTERNS}${WORDS}`.trim().split(/\s+/));

/** Letters and digits that may surround a known word without making it hard to guess: a year, `123!`, an initial. */
const ENDING_MAX = 4;
/** Shorter words occur in too many good passwords, so they count only as the whole of its letters. */
const INNER_WORD_MIN = 5;
const PERSONAL_WORD_MIN = 3;
const DISTINCT_MIN = 5;

const INNER_WORDS = [...COMMON_PASSWORDS].filter((word) => word.length >= INNER_WORD_MIN);

/** The alphabet, rows and columns of keyboards, and digits; also backward. */
const SEQUENCES = [
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "12345678901234567890",
].flatMap((row) => [row, [...row].reverse().join("")]);

const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");

const REPLACED: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "8": "b",
  "3": "e",
  "1": "i",
  "!": "i",
  "|": "l",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
  "+": "t",
};
const unreplaced = (text: string, one: "i" | "l"): string =>
  text.replace(/[@483150!|$7+]/g, (char) => (char === "1" ? one : (REPLACED[char] ?? char)));

/** What the password may be meant to read: without symbols, and with letters in place of those that look like them. */
const readingsOf = (password: string): Set<string> => {
  const text = uniqueKey(password);
  const [, before = "", middle = "", after = ""] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? [];
  const ones = ["i", "l"] as const;
  const whole = ones.map((one) => unreplaced(text, one));
  const inner = ones.map((one) => `${before}${unreplaced(middle, one)}${after}`);
  return new Set([text, ...whole, ...inner].map(plain));
};

const isMostly = (reading: string, word: string): boolean => {
  if (!reading.includes(word)) return false;
  const rest = reading.replaceAll(word, "");
  return rest.length <= ENDING_MAX || COMMON_PASSWORDS.has(rest);
};

const isKnown = (reading: string): boolean => {
  const letters = reading.replace(/\P{L}/gu, "");
  if (COMMON_PASSWORDS.has(letters) && reading.length - letters.length <= ENDING_MAX) return true;
  return COMMON_PASSWORDS.has(reading) || INNER_WORDS.some((word) => isMostly(reading, word));
};

const isSequence = (reading: string): boolean =>
  reading.length >= INNER_WORD_MIN && SEQUENCES.some((row) => row.includes(reading));

const isCommon = (password: string): boolean =>
  new Set(uniqueKey(password)).size < DISTINCT_MIN ||
  [...readingsOf(password)].some((reading) => isKnown(reading) || isSequence(reading));

/** What a password must not mostly consist of. */
interface KnownWords {
  email: string;
  username: string;
  firstName: string;
  lastName: string;
}

const wordsOf = ({ email, username, firstName, lastName }: KnownWords, productName: string): string[] => {
  const [local = "", domain = ""] = email.split("@");
  return [email, local, domain.split(".")[0] ?? "", username, firstName, lastName, firstName + lastName, productName]
    .map((word) => plain(uniqueKey(word)))
    .filter((word) => word.length >= PERSONAL_WORD_MIN);
};

const isPersonal = (password: string, words: readonly string[]): boolean =>
  [...readingsOf(password)].some((reading) => words.some((word) => isMostly(reading, word)));

export const GUESSABLE_TEXTS = {
  common: "This password is one of the first that attackers try. Please choose another one.",
  personal: (productName: string) =>
    `This password is mostly your name, your email, or "${productName}". Please choose another one.`,
} as const;

/** @throws AppError `invalid` for the given field */
export const refuseGuessable = (password: string, known: KnownWords & { productName: string; field: string }): void => {
  const { productName, field } = known;
  const isOwn = isPersonal(password, wordsOf(known, productName));
  if (!isOwn && !isCommon(password)) return;
  const text = isOwn ? GUESSABLE_TEXTS.personal(productName) : GUESSABLE_TEXTS.common;
  throw new AppError("invalid", { text, fields: { [field]: [text] } });
};
