/* Looks one name up with the C library that it is linked to: lookup FAMILY 0xBYTES. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const char *word(int code) {
    switch (code) {
    case 0: return "ok";
    case -2: return "EAI_NONAME";
    case -3: return "EAI_AGAIN";
    case -4: return "EAI_FAIL";
    case -5: return "EAI_NODATA";
    case -9: return "EAI_ADDRFAMILY";
    case -11: return "EAI_SYSTEM";
    default: return "other";
    }
}

int main(int argc, char **argv) {
    static char name[1 << 20];
    char digits[3] = "", text[INET6_ADDRSTRLEN];
    struct addrinfo hints, *found = NULL, *one;
    size_t length;
    size_t i;
    int code;

    if (argc != 3 || strlen(argv[2]) < 2 || (length = strlen(argv[2]) / 2 - 1) >= sizeof name) {
        return 2;
    }
    for (i = 0; i < length; i++) {
        memcpy(digits, argv[2] + 2 + 2 * i, 2);
        name[i] = (char) strtoul(digits, NULL, 16);
    }
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_family = !strcmp(argv[1], "4") ? AF_INET : !strcmp(argv[1], "6") ? AF_INET6 : AF_UNSPEC;
    code = getaddrinfo(name, NULL, &hints, &found);
    printf("%s", word(code));
    for (one = found; one; one = one->ai_next) {
        const void *address = one->ai_family == AF_INET
            ? (const void *) &((struct sockaddr_in *) one->ai_addr)->sin_addr
            : (const void *) &((struct sockaddr_in6 *) one->ai_addr)->sin6_addr;
        printf("\t%s", inet_ntop(one->ai_family, address, text, sizeof text));
    }
    printf("\n");
    return 0;
}
