"""The passwords that guessers try first, as far as they are long enough to be accepted."""

from typing import Final

_LISTED: Final = """
    00000000 0123456789 01234567 012345678 10203040 1029384756 1111111111 11111111 11223344
    1122334455 12121212 12131415 123123123 12312312 1231231231 123321123 1234abcd 12341234
    1234512345 123454321 123456123 12345678 1234567890 12345678910 123456789 1234567891
    123456789a 123456789q 12345679 123456abc 123456qwe 12345qwert 1234qwer 123698745 123abc123
    123qwe123 123qweasd 12qwaszx 13131313 1357924680 147258369 14789632 147852369 159357456
    159753456 159951159 1a2b3c4d 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qa2ws3ed 1qaz1qaz 1qaz2wsx
    1qaz2wsx3edc 1qazxsw2 2wsx3edc 20202020 21212121 22222222 23232323 31415926 33333333 55555555
    66666666 69696969 741852963 77777777 789456123 78945612 87654321 88888888 963852741 987654321
    9876543210 98765432 99999999 a1234567 a12345678 a123456789 a1b2c3d4 a1s2d3f4 aa123456
    aa12345678 aaaaaaaa abc12345 abc123456 abcd1234 abcd12345 abcdefgh abcdefghi access14 adgjmptw
    admin123 admin1234 admin12345 administrator alexander alexandra anthony1 asd12345 asdasdasd
    asdf1234 asdfasdf asdfghjk asdfghjkl asdfjkl; azertyui azertyuiop babygirl1 barcelona
    baseball baseball1 basketball batman123 beautiful blink182 bigdaddy bismillah brooklyn
    butterfly carolina caroline changeme changeme1 charlie1 charlotte chelsea1 chocolate christian
    christine christopher cocacola computer computer1 corvette danielle december default1 demo1234
    dolphins dragon123 einstein elephant elizabeth facebook family123 football football1
    forever1 freedom1 friends1 fuckyou1 fuckyou2 garfield gateway1 godzilla google123 guest123
    hello123 hello1234 helloworld hellokitty iloveyou iloveyou1 iloveyou2 iloveyou! internet
    jennifer jessica1 jonathan jordan23 jordan123 josephine justin123 k1234567 kimberly letmein1
    letmein123 letmein! liverpool liverpool1 loveyou1 lovely123 manchester master123 maverick
    mercedes metallica michael1 michelle microsoft midnight million1 monkey123 motorola mustang1
    myspace1 naruto123 nicholas nintendo november pa55word pa$$word p@ssw0rd p@ssword p@ssw0rd1
    p@55w0rd pakistan passpass passw0rd passw0rd1 passwort password password! password0 password01
    password1 password1! password11 password12 password123 password1234 password123! password2
    password2024 password2025 password2026 passwords patricia playboy1 pokemon1 pokemon123
    portugal princess princess1 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qazwsx123 qazwsxedc qazxswedc
    qq123456 qwaszx12 qwe123qwe qweasdzx qweasdzxc qwer1234 qwerasdf qwert123 qwert12345
    qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyqwerty rainbow1
    raspberry remember rockstar1 root1234 rush2112 samantha samsung1 samsung123 sandiego
    scorpion sebastian secret123 september shadow123 skywalker slipknot snickers snoopy123
    soccer123 spiderman spongebob starwars starwars1 stephanie steelers summer2024 summer2025
    sunflower sunshine sunshine1 superman superman1 superstar swordfish test1234 test12345
    testtest testing1 testing123 thunder1 tigger123 trustno1 undertaker unknown1 user1234
    valentina veronica victoria wallpaper warcraft welcome1 welcome123 welcome1! whatever
    whatever1 william1 winston1 winter2024 winter2025 wordpass xxxxxxxx yankees1 yourname
    zaq12wsx zaq1zaq1 zaq1xsw2 zxcvbnm1 zxcvbnm123 zxcvbnma zxcvzxcv
"""

WEAK: Final = frozenset(_LISTED.split())
